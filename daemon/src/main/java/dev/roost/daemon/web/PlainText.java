package dev.roost.daemon.web;

import java.util.regex.Pattern;

/** Removes escape sequences for colours and cursor movement from terminal output. */
final class PlainText {

    private static final Pattern SEQUENCE =
            Pattern.compile("\u001b\\[[0-?]*[ -/]*[@-~]|\u001b\\][^\u0007\u001b]*(\u0007|\u001b\\\\)?|\u001b.?");

    private PlainText() {}

    static String of(String text) {
        return SEQUENCE.matcher(text).replaceAll("");
    }
}
