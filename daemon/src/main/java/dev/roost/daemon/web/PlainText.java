package dev.roost.daemon.web;

import java.util.regex.Pattern;

/** What an agent printed, without what would colour it or move a cursor. */
final class PlainText {

    private static final Pattern SEQUENCE =
            Pattern.compile("\u001b\\[[0-?]*[ -/]*[@-~]|\u001b\\][^\u0007\u001b]*(\u0007|\u001b\\\\)?|\u001b.?");

    private PlainText() {}

    static String of(String text) {
        return SEQUENCE.matcher(text).replaceAll("");
    }
}
