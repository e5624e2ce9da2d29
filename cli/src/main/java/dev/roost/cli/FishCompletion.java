package dev.roost.cli;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A completion script for fish, from the same descriptions as the help. */
final class FishCompletion {

    private static final String PROLOGUE = """
            # Completion of roost for fish.
            function __roost_at # true if exactly these words precede the cursor
                set -l words (commandline -opc)
                test "$words[2..]" = "$argv"
            end
            function __roost_in # true if the command line begins with these words
                set -l words (commandline -opc)
                test (count $words) -gt (count $argv)
                and test "$words[2..$(math (count $argv) + 1)]" = "$argv"
            end
            function __roost_runs
                set -l words (commandline -opc)
                $words[1] __runs $words[2] 2>/dev/null
            end
            complete -c roost -f
            complete -c roost -n '__roost_in run' -F
            complete -c roost -n '__roost_in show' -a '(__roost_runs)'
            complete -c roost -n '__roost_in output' -a '(__roost_runs)'
            complete -c roost -n '__roost_in stop' -a '(__roost_runs)'
            complete -c roost -n '__roost_in adopt' -a '(__roost_runs)'
            complete -c roost -n '__roost_at send' -a '(__roost_runs)'
            complete -c roost -n '__roost_at restore' -a '(__roost_runs)'
            complete -c roost -n '__roost_at completion' -a 'bash zsh fish'
            """;

    private final StringBuilder script = new StringBuilder(PROLOGUE);

    private FishCompletion() {}

    static String script(CommandSpec roost) {
        var fish = new FishCompletion();
        fish.describe(roost, "");
        return fish.script.toString();
    }

    /** Describes the command's options and subcommands, recursively; {@code words} is the path to it. */
    private void describe(CommandSpec command, String words) {
        String options = words.isEmpty() ? "__roost_at" : "__roost_in" + words;
        for (var option : command.options()) {
            if (!option.hidden()) line(options, names(option), option.description());
        }
        for (var below : command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(spec -> !spec.usageMessage().hidden())
                .toList()) {
            line(
                    "__roost_at" + words,
                    "-a " + below.name(),
                    below.usageMessage().description());
            describe(below, words + " " + below.name());
        }
    }

    private static String names(OptionSpec option) {
        String names = List.of(option.names()).stream()
                .map(name -> name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                .collect(Collectors.joining(" "));
        return option.arity().max() > 0 ? names + " -r" : names;
    }

    private void line(String condition, String what, String[] description) {
        String first = description.length == 0 ? "" : description[0];
        script.append("complete -c roost -n '%s' %s -d %s\n".formatted(condition, what, quoted(first)));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
