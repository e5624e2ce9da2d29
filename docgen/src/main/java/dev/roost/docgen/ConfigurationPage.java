package dev.roost.docgen;

import dev.roost.daemon.config.SettingCatalog;
import dev.roost.daemon.config.SettingDefinition;
import java.util.List;
import java.util.stream.Stream;

/** configuration.md: every setting, from the catalog that the file reader uses. */
final class ConfigurationPage {

    private ConfigurationPage() {}

    static String text() {
        var text = new StringBuilder("""
                # Configuration

                Your own file is `$XDG_CONFIG_HOME/roost/config.toml`, that is `~/.config/roost/config.toml`. It is read when the daemon starts: to apply
                a change, run `roost daemon stop` and any command; live runs continue. A variable in the daemon's environment overrides the file, and an option of a
                command overrides both. A command that starts the daemon passes on the variables of your shell; from an agent's shell it passes on only
                those of caps, budgets and `default_agent`. A running daemon does not read them again. A setting that is unknown or of the wrong type keeps the daemon from starting, with a sentence that names it.

                Types: a **duration** is a text with a unit, such as `"90s"`, `"30m"`, `"2h"`, `"7d"`; a **size** such as `"50MB"`, in powers of 1024; **dollars** a number
                such as `2.50`.

                """);
        text.append("## At the top of the file\n\n").append(table(at("")));
        SettingCatalog.config().stream()
                .map(SettingDefinition::table)
                .filter(table -> !table.isEmpty())
                .distinct()
                .forEach(table -> text.append("## [%s]\n\n".formatted(table)).append(table(at(table))));
        text.append("""
                ## [agents.NAME]

                A named agent: `roost run --agent NAME`. Only `driver` is required; a plain `command` uses only `env`, `on` and the caps. More:
                [agents.md](../agents.md#your-own-agents).

                """).append(plain(SettingCatalog.agent()));
        text.append("""
                ## A project's file

                `.roost.toml` in the directory of a run, or the nearest parent in the same checkout. It can tighten your settings, never loosen them:
                the smaller cap applies, and permissions are only reduced. These apply at once:

                """)
                .append(plain(SettingCatalog.project().stream()
                        .filter(key -> !key.name().equals("default_agent"))
                        .toList()));
        text.append("""
                These could run programs, so they are ignored until you trust that exact content with `roost trust`: `default_agent`, `[agents.NAME]` and
                `[worktree]`, with the keys they have above. All other settings are refused in a project's file. More: [agents.md](../agents.md#a-projects-own-file).

                ## prices.toml

                Beside `config.toml`: a table for each model, by the beginning of its name, in dollars for a million tokens. Roost has a built-in table; yours
                takes precedence.

                """).append(plain(SettingCatalog.price()));
        text.append("## Variables\n\nIn addition to those of the settings above:\n\n")
                .append(Markdown.table(
                        List.of("variable", "set by", "meaning"),
                        Stream.of(EnvironmentVariable.values())
                                .map(one -> List.of(Markdown.code(one.name()), one.setBy(), one.meaning()))
                                .toList()));
        return text.toString();
    }

    private static List<SettingDefinition> at(String table) {
        return SettingCatalog.config().stream()
                .filter(key -> key.table().equals(table))
                .toList();
    }

    private static String table(List<SettingDefinition> keys) {
        return Markdown.table(
                List.of("key", "type", "default", "meaning", "variable"),
                keys.stream()
                        .map(key -> List.of(
                                Markdown.code(key.name()),
                                key.type(),
                                Markdown.code(key.usual().orElse("")),
                                key.meaning(),
                                Markdown.code(key.overruledBy().orElse(""))))
                        .toList());
    }

    private static String plain(List<SettingDefinition> keys) {
        return Markdown.table(
                List.of("key", "type", "default", "meaning"),
                keys.stream()
                        .map(key -> List.of(
                                Markdown.code(key.name()),
                                key.type(),
                                Markdown.code(key.usual().orElse("")),
                                key.meaning()))
                        .toList());
    }
}
