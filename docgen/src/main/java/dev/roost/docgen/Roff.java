package dev.roost.docgen;

/** Writes a manual page with the macros of man(7). */
final class Roff {

    private final StringBuilder page = new StringBuilder();

    Roff(String name, int section, String manual) {
        page.append(".\\\" Written from the code by ./build reference.\n");
        page.append(".TH \"%s\" \"%d\" \"\" \"Roost\" \"%s\"\n.nh\n.ad l\n"
                .formatted(name.toUpperCase(java.util.Locale.ROOT).replace("-", "\\-"), section, manual));
    }

    Roff heading(String text) {
        return macro("SH", text);
    }

    Roff below(String text) {
        return macro("SS", text);
    }

    Roff paragraph(String text) {
        page.append(".PP\n");
        return lines(text);
    }

    /** A term and its description. */
    Roff item(String label, String meaning) {
        page.append(".TP\n\\fB").append(escaped(label)).append("\\fR\n");
        return lines(meaning.isBlank() ? "\u00a0" : meaning);
    }

    Roff example(String text) {
        page.append(".PP\n.RS 4\n.nf\n");
        lines(text);
        page.append(".fi\n.RE\n");
        return this;
    }

    private Roff macro(String name, String text) {
        page.append('.')
                .append(name)
                .append(" \"")
                .append(escaped(text).replace("\"", "\\(dq"))
                .append("\"\n");
        return this;
    }

    private Roff lines(String text) {
        text.lines().forEach(line -> page.append(guarded(escaped(line))).append('\n'));
        return this;
    }

    /** Escapes a dot or quote at the beginning of a line, which would be a request. */
    private static String guarded(String line) {
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    /** Prints Markdown code as bold, and escapes characters beyond ASCII. */
    static String escaped(String text) {
        var safe = new StringBuilder();
        boolean bold = false;
        for (int c : text.codePoints().toArray()) {
            switch (c) {
                case '\\' -> safe.append("\\e");
                case '-' -> safe.append("\\-");
                case '^' -> safe.append("\\(ha");
                case '~' -> safe.append("\\(ti");
                case '`' -> {
                    safe.append(bold ? "\\fR" : "\\fB");
                    bold = !bold;
                }
                default -> {
                    if (c < 128) safe.appendCodePoint(c);
                    else safe.append("\\[u%04X]".formatted(c));
                }
            }
        }
        return bold ? safe.append("\\fR").toString() : safe.toString();
    }

    @Override
    public String toString() {
        return page.toString();
    }
}
