package dev.roost.docgen;

import dev.roost.cli.CommandCatalog;
import dev.roost.daemon.config.SettingCatalog;
import dev.roost.daemon.config.SettingDefinition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;

/** The manual pages: roost(1), one for each command, and roost-config(5). */
final class Manuals {

    private static final Pattern LINK = Pattern.compile(" ?\\(?\\[([^]]+)]\\([^)]+\\)\\)?");

    private Manuals() {}

    static Map<String, String> pages() {
        var roost = CommandCatalog.model();
        var pages = new TreeMap<String, String>();
        pages.put("roost.1", roost(roost));
        for (var one : CommandDoc.all(roost)) pages.put(one.full().replace(' ', '-') + ".1", command(one));
        pages.put("roost-config.5", config());
        return pages;
    }

    private static String roost(CommandSpec roost) {
        var page = new Roff("roost", 1, "Roost Manual");
        page.heading("NAME").paragraph("roost - runs AI agents in the background and never loses one");
        page.heading("SYNOPSIS").paragraph("`roost` COMMAND [OPTION...] [ARGUMENT...]");
        page.heading("DESCRIPTION")
                .paragraph(
                        "Roost runs agents and other commands in the background. They survive a closed lid, a killed daemon and its restart. Roost keeps their output and their files, never reports a crash as success, and notifies the owner.")
                .paragraph(
                        "A run is named by its id, any unambiguous beginning of it, or its name. Durations carry a unit: 90s, 30m, 2h, 7d. Arguments after `--` are for the agent. `--json` on a command prints one JSON document.");
        page.heading("COMMANDS");
        for (var one : CommandDoc.all(roost)) page.item(one.full().replace(' ', '-') + "(1)", one.summary());
        page.heading("EXIT STATUS");
        roost.usageMessage().exitCodeList().forEach(page::item);
        page.heading("ENVIRONMENT");
        for (var one : EnvironmentVariable.values()) page.item(one.name(), plain(one.meaning()));
        page.paragraph("Each setting of roost-config(5) also has a variable.");
        page.heading("FILES")
                .item("~/.local/state/roost", "the home: the ledger, runs and kept files; only you can read it")
                .item("~/.config/roost/config.toml", "your settings, see roost-config(5)")
                .item(".roost.toml", "the settings of a project");
        page.heading("SEE ALSO").paragraph("roost-run(1), roost-ps(1), roost-config(5)");
        return page.toString();
    }

    private static String command(CommandDoc one) {
        var name = one.full().replace(' ', '-');
        var page = new Roff(name, 1, "Roost Manual");
        page.heading("NAME").paragraph(name + " - " + one.summary().replaceAll("\\.$", ""));
        page.heading("SYNOPSIS").example(one.synopsis(66));
        page.heading("DESCRIPTION").paragraph(String.join("\n", one.description()));
        if (one.isGroup()) {
            page.heading("COMMANDS");
            for (var sub : CommandDoc.all(one.spec())) page.item(sub.full().replace(' ', '-') + "(1)", sub.summary());
        }
        page.heading("OPTIONS");
        one.words().forEach(word -> page.item(word.label(), word.meaning()));
        if (!one.footer().isEmpty()) page.heading("NOTES");
        for (var part : one.footer()) {
            if (part.isExample()) page.example(part.text());
            else page.paragraph(part.text());
        }
        page.heading("EXIT STATUS").paragraph("See roost(1).");
        page.heading("SEE ALSO").paragraph("roost(1), roost-config(5)");
        return page.toString();
    }

    private static String config() {
        var page = new Roff("roost-config", 5, "Roost Manual");
        page.heading("NAME").paragraph("roost-config - the settings in config.toml, .roost.toml and prices.toml");
        page.heading("DESCRIPTION")
                .paragraph(
                        "~/.config/roost/config.toml is read when the daemon starts. A variable in the daemon's environment overrides it, and an option of a command overrides both. A duration is a text with a unit, such as \"30m\"; a size such as \"50MB\"; dollars a number such as 2.50.");
        page.heading("CONFIG.TOML");
        String table = "";
        for (var key : SettingCatalog.config()) {
            if (!key.table().equals(table)) page.below("[%s]".formatted(key.table()));
            table = key.table();
            item(page, key);
        }
        page.below("[agents.NAME]");
        keys(page, SettingCatalog.agent());
        page.heading("A PROJECT'S FILE")
                .paragraph(
                        ".roost.toml, in the directory of a run or the nearest parent in the same checkout. It can tighten your settings, but not loosen them. The first of these apply at once; `default_agent`, `[agents.NAME]` and `[worktree]` apply only after `roost trust`.");
        keys(page, SettingCatalog.project());
        page.heading("PRICES.TOML")
                .paragraph("A table for each model, by the beginning of its name, in dollars for a million tokens.");
        keys(page, SettingCatalog.price());
        page.heading("SEE ALSO").paragraph("roost(1), roost-run(1), roost-trust(1)");
        return page.toString();
    }

    private static void keys(Roff page, List<SettingDefinition> keys) {
        keys.forEach(key -> item(page, key));
    }

    private static void item(Roff page, SettingDefinition key) {
        var meaning = new StringBuilder(plain(key.meaning()))
                .append(".\nType: ")
                .append(key.type())
                .append('.');
        key.usual()
                .ifPresent(usual -> meaning.append(" Default: ").append(usual).append('.'));
        key.overruledBy()
                .ifPresent(name -> meaning.append(" Variable: ").append(name).append('.'));
        page.item(key.name(), meaning.toString());
    }

    /** Removes links, which do not work in a manual page. */
    private static String plain(String text) {
        return LINK.matcher(text).replaceAll("");
    }
}
