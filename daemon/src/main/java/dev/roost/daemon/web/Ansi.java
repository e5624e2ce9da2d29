package dev.roost.daemon.web;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Renders terminal output as HTML: with its colours, and with all other escape sequences as visible text. It keeps its state from
 * one piece to the next, so a colour may span several pieces.
 */
final class Ansi {

    private static final Pattern SEQUENCE =
            Pattern.compile("\u001b\\[([0-9;:]*)m|\u001b\\[[0-?]{0,40}[ -/]{0,8}[@-~]|\u001b[^\\[]?|\u001b");
    private static final Pattern ANY_SEQUENCE =
            Pattern.compile("\u001b\\[[0-?]*[ -/]*[@-~]|\u001b\\][^\u0007\u001b]*(\u0007|\u001b\\\\)?|\u001b.?");
    private static final int[][] SIXTEEN = {
        {0, 0, 0},
        {205, 49, 49},
        {13, 188, 121},
        {229, 229, 16},
        {36, 114, 200},
        {188, 63, 188},
        {17, 168, 205},
        {229, 229, 229},
        {102, 102, 102},
        {241, 76, 76},
        {35, 209, 139},
        {245, 245, 67},
        {59, 142, 234},
        {214, 112, 214},
        {41, 184, 219},
        {255, 255, 255}
    };
    private static final int NONE = -1;
    private static final int[] STEPS = {0, 95, 135, 175, 215, 255};

    private int front = NONE;
    private int back = NONE;
    private boolean bold;
    private boolean dim;
    private boolean italic;
    private boolean underlined;
    private boolean reversed;
    private String pending = "";

    /** Removes escape sequences for colours and cursor movement. */
    static String plain(String text) {
        return ANY_SEQUENCE.matcher(text).replaceAll("");
    }

    Html render(String more) {
        var text = pending + more.replace("\r\n", "\n").replace('\r', '\n');
        int cut = unfinished(text);
        pending = text.substring(cut);
        text = text.substring(0, cut);
        var pieces = new ArrayList<Html>();
        var sequences = SEQUENCE.matcher(text);
        int from = 0;
        while (sequences.find()) {
            append(pieces, text.substring(from, sequences.start()));
            if (sequences.group(1) != null) colour(sequences.group(1));
            else
                pieces.add(Html.of(
                        "<span class=\"esc\">{}</span>",
                        "ESC" + sequences.group().substring(1)));
            from = sequences.end();
        }
        append(pieces, text.substring(from));
        return Html.all(pieces);
    }

    /** The start of an incomplete sequence at the text's end, which the next piece may complete; else the text's length. */
    private static int unfinished(String text) {
        int last = text.lastIndexOf('\u001b');
        if (last < 0 || text.length() - last > 60) return text.length();
        var tail = text.substring(last);
        boolean open = tail.length() == 1 || tail.matches("\u001b\\[[0-?]*[ -/]*");
        return open ? last : text.length();
    }

    private void append(List<Html> pieces, String text) {
        if (text.isEmpty()) return;
        var classes = classes();
        pieces.add(classes.isEmpty() ? Html.text(text) : Html.of("<span class=\"{}\">{}</span>", classes, text));
    }

    private String classes() {
        var names = new ArrayList<String>();
        int fore = reversed ? back : front;
        int behind = reversed ? front : back;
        if (fore != NONE) names.add("f" + fore);
        if (behind != NONE) names.add("b" + behind);
        if (reversed && fore == NONE && behind == NONE) names.add("rev");
        if (bold) names.add("bold");
        if (dim) names.add("dim");
        if (italic) names.add("ital");
        if (underlined) names.add("undl");
        return String.join(" ", names);
    }

    private void colour(String codes) {
        var numbers = new ArrayList<Integer>();
        for (var code : codes.split("[;:]", -1))
            numbers.add(code.isEmpty() || code.length() > 3 ? 0 : Integer.parseInt(code));
        for (int i = 0; i < numbers.size(); i++) {
            int code = numbers.get(i);
            if (code == 38 || code == 48) {
                int colour = extended(numbers, i + 1);
                if (code == 38) front = colour;
                else back = colour;
                i += i + 1 < numbers.size() && numbers.get(i + 1) == 2 ? 4 : 2;
            } else {
                simple(code);
            }
        }
    }

    private void simple(int code) {
        switch (code) {
            case 0 -> {
                front = NONE;
                back = NONE;
                bold = dim = italic = underlined = reversed = false;
            }
            case 1 -> bold = true;
            case 2 -> dim = true;
            case 3 -> italic = true;
            case 4 -> underlined = true;
            case 7 -> reversed = true;
            case 22 -> bold = dim = false;
            case 23 -> italic = false;
            case 24 -> underlined = false;
            case 27 -> reversed = false;
            case 39 -> front = NONE;
            case 49 -> back = NONE;
            default -> {
                if (code >= 30 && code <= 37) front = code - 30;
                else if (code >= 90 && code <= 97) front = code - 82;
                else if (code >= 40 && code <= 47) back = code - 40;
                else if (code >= 100 && code <= 107) back = code - 92;
            }
        }
    }

    /** The nearest of the sixteen colours to one of 256, or to an RGB colour. */
    private static int extended(List<Integer> numbers, int at) {
        if (at + 1 < numbers.size() && numbers.get(at) == 5) {
            int n = numbers.get(at + 1);
            if (n < 16) return n;
            if (n >= 232) return nearest(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10);
            int cube = Math.min(n, 231) - 16;
            return nearest(STEPS[cube / 36], STEPS[cube / 6 % 6], STEPS[cube % 6]);
        }
        if (at + 3 < numbers.size() && numbers.get(at) == 2)
            return nearest(numbers.get(at + 1), numbers.get(at + 2), numbers.get(at + 3));
        return NONE;
    }

    private static int nearest(int red, int green, int blue) {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < SIXTEEN.length; i++) {
            long r = SIXTEEN[i][0] - (long) red;
            long g = SIXTEEN[i][1] - (long) green;
            long b = SIXTEEN[i][2] - (long) blue;
            long distance = r * r + g * g + b * b;
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }
}
