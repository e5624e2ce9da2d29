package dev.roost.docgen;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The documentation of one command, in plain text. */
record CommandDoc(CommandSpec spec) {

    /** A parameter or an option. */
    record Word(String label, String meaning) {}

    /** A paragraph below its help: example lines or text. */
    record Part(boolean isExample, String text) {}

    /** All visible commands, each before its sub-commands. */
    static List<CommandDoc> all(CommandSpec roost) {
        return roost.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(spec -> !spec.usageMessage().hidden())
                .distinct()
                .flatMap(spec -> Stream.concat(Stream.of(new CommandDoc(spec)), all(spec).stream()))
                .toList();
    }

    String full() {
        return spec.qualifiedName(" ");
    }

    List<String> description() {
        return Stream.of(spec.usageMessage().description())
                .filter(line -> !line.isBlank())
                .toList();
    }

    /** Its first sentence, for a list of commands. */
    String summary() {
        return description().isEmpty() ? "" : description().getFirst().replaceAll("(?<=[a-z`)]\\.) .*", "");
    }

    boolean isGroup() {
        return !spec.subcommands().isEmpty();
    }

    String synopsis(int width) {
        spec.usageMessage().width(width);
        return new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF))
                .synopsis(0)
                .strip();
    }

    List<Word> words() {
        var words = new ArrayList<Word>();
        for (var word : spec.positionalParameters())
            if (!word.hidden()) words.add(new Word(label(word), meaning(word)));
        for (var flag : spec.options()) {
            if (flag.hidden()) continue;
            var names = String.join(", ", flag.names());
            words.add(new Word(flag.arity().max() > 0 ? names + " " + label(flag) : names, meaning(flag)));
        }
        return words;
    }

    private static String label(ArgSpec arg) {
        return arg.paramLabel() + (arg.arity().max() > 1 || arg.type().equals(List.class) ? "…" : "");
    }

    private static String meaning(ArgSpec arg) {
        return String.join(" ", arg.description())
                .replace("${COMPLETION-CANDIDATES}", candidates(arg))
                .replace("%%", "%");
    }

    private static String candidates(ArgSpec arg) {
        var words = new ArrayList<String>();
        if (arg.completionCandidates() != null) arg.completionCandidates().forEach(words::add);
        return String.join(", ", words);
    }

    /** Indented lines are examples; other lines are text. */
    List<Part> footer() {
        var parts = new ArrayList<Part>();
        var lines = new ArrayList<String>();
        boolean example = false;
        for (var raw : spec.usageMessage().footer()) {
            var line = raw.replace("%%", "%");
            if (line.isBlank()) continue;
            boolean moved = line.startsWith("  ");
            if (moved != example && !lines.isEmpty()) parts.add(part(example, lines));
            example = moved;
            lines.add(line.strip());
        }
        if (!lines.isEmpty()) parts.add(part(example, lines));
        return parts;
    }

    private static Part part(boolean example, List<String> lines) {
        var part = new Part(example, String.join("\n", lines));
        lines.clear();
        return part;
    }
}
