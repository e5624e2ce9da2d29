package dev.roost.docgen;

import dev.roost.cli.CommandCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** commands.md: every command with its options, as the parser knows them. */
final class CommandsPage {

    private CommandsPage() {}

    static String text() {
        var roost = CommandCatalog.model();
        var all = CommandDoc.all(roost);
        var text = new StringBuilder("# Commands\n\n");
        text.append("""
                `roost COMMAND --help` prints the same. `roost` starts the daemon if a command needs it. `--json` on a command prints one JSON
                document instead of text. A run is named by its id, any unambiguous beginning of it, or its name. Durations carry a unit (`90s`, `30m`,
                `2h`, `7d`). Arguments after `--` are for the agent.

                """);
        text.append(Markdown.table(
                List.of("command", "description"),
                all.stream()
                        .map(one -> List.of(
                                "[%s](#%s)"
                                        .formatted(
                                                Markdown.code(one.full()),
                                                one.full().replace(' ', '-')),
                                one.summary()))
                        .toList()));
        text.append("## Exit codes\n\n").append(exits(roost));
        all.forEach(one -> text.append(section(one)));
        return text.toString();
    }

    private static String exits(CommandSpec roost) {
        var rows = new ArrayList<List<String>>();
        for (Map.Entry<String, String> exit :
                roost.usageMessage().exitCodeList().entrySet()) rows.add(List.of(exit.getKey(), exit.getValue()));
        return Markdown.table(List.of("code", ""), rows)
                + "The agent's own exit status is in the evidence (`roost show`).\n\n";
    }

    private static String section(CommandDoc one) {
        var text = new StringBuilder("## %s\n\n".formatted(one.full()));
        text.append(Markdown.plain(String.join(" ", one.description()))).append("\n\n");
        text.append(Markdown.fenced("", one.synopsis(100)));
        var words = new ArrayList<List<String>>();
        one.words().forEach(word -> words.add(List.of(Markdown.code(word.label()), Markdown.plain(word.meaning()))));
        if (!words.isEmpty()) text.append(Markdown.table(List.of("argument or option", "meaning"), words));
        for (var part : one.footer()) {
            text.append(part.isExample() ? Markdown.fenced("sh", part.text()) : Markdown.plain(part.text()) + "\n\n");
        }
        return text.toString();
    }
}
