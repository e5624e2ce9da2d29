package dev.roost.cli.terminal;

/** The width of text in terminal columns: 2 for most East Asian characters and emoji, 0 for combining marks. */
public final class DisplayWidth {

    /** First and last code point of each wide range, in order; Java knows emoji. */
    private static final int[] WIDE = {
        0x1100, 0x115f, 0x2e80, 0x303e, 0x3041, 0x4dbf, 0x4e00, 0xa4cf, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff,
        0xfe10, 0xfe19, 0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18cff, 0x1aff0, 0x1b2ff, 0x1f200,
        0x1f265, 0x20000, 0x3fffd
    };

    private static final int FIRST_WIDE = 0x1100;
    private static final int FIRST_FLAG = 0x1f1e6; // two of these letters make a flag, two columns wide
    private static final int LAST_FLAG = 0x1f1ff;

    private DisplayWidth() {}

    /** The width of a line without escape sequences. */
    public static int of(String text) {
        return text.codePoints().map(DisplayWidth::of).sum();
    }

    public static int of(int c) {
        if (c < 0x300) return c == 0xad ? 0 : 1;
        if (isMark(c)) return 0;
        if (c < FIRST_WIDE || (c >= FIRST_FLAG && c <= LAST_FLAG)) return 1;
        return isWide(c) || Character.isEmojiPresentation(c) ? 2 : 1;
    }

    private static boolean isMark(int c) {
        return switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> true;
            default -> c >= 0x1160 && c <= 0x11ff; // vowels and finals of a Hangul syllable
        };
    }

    private static boolean isWide(int c) {
        for (int i = 0; i < WIDE.length && WIDE[i] <= c; i += 2) if (c <= WIDE[i + 1]) return true;
        return false;
    }
}
