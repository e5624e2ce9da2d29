package dev.roost.daemon.config;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Driver;
import dev.roost.agents.Permissions;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.model.Budget;
import dev.roost.node.AttemptOrder;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** {@code [agents.NAME]}: named configurations of drivers. */
final class AgentTables {

    /** Settings without meaning for a plain command, because the run's words are the command. */
    private static final Set<String> NOT_FOR_COMMANDS =
            Set.of("command", "model", "args", "permissions", "system_prompt");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern VARIABLE = Pattern.compile("(?!ROOST_)[A-Za-z_][A-Za-z0-9_]*");

    private AgentTables() {}

    static Map<String, EngineConfig.NamedAgent> read(SettingsTable file) {
        var agents = new TreeMap<String, EngineConfig.NamedAgent>();
        var tables = file.table("agents");
        for (var name : tables.names()) agents.put(name, agent(name, tables));
        return agents;
    }

    private static EngineConfig.NamedAgent agent(String name, SettingsTable tables) {
        if (!NAME.matcher(name).matches()) {
            throw tables.source()
                    .wrong(
                            "The agent's name \"%s\" cannot be used.".formatted(TextFormat.printable(name)),
                            "Use up to 64 letters, digits, dots, dashes and underscores. It is in %s."
                                    .formatted(tables.where(name)));
        }
        var table = tables.table(name).only(SettingCatalog.names(SettingCatalog.agent()));
        var driver = driver(name, tables);
        if (driver.equals("command")) {
            for (var setting : NOT_FOR_COMMANDS) {
                if (table.has(setting))
                    throw table.source()
                            .wrong(
                                    "The driver command does not use the setting %s.".formatted(table.full(setting)),
                                    "Remove it from %s: a command is given with each run."
                                            .formatted(table.where(setting)));
            }
        }
        var command = table.texts("command");
        if (table.has("command") && (command.isEmpty() || command.getFirst().isBlank()))
            throw table.wrong("command", "a list of strings that begins with a program");
        var environment = table.textsByName("env");
        for (var variable : environment.keySet()) {
            if (!VARIABLE.matcher(variable).matches())
                throw table.table("env")
                        .wrong(variable, "a variable's name (names that begin with ROOST_ cannot be set)");
        }
        var profile = new AgentProfile(
                name,
                driver,
                command,
                table.text("model"),
                table.texts("args"),
                permissions(table).orElse(Permissions.SAFE),
                table.text("system_prompt"),
                environment);
        var on = table.texts("on");
        if (!on.stream().allMatch(AttemptOrder::isTag)) throw table.wrong("on", "a list of tags that nodes have");
        return new EngineConfig.NamedAgent(profile, caps(table), new TreeSet<>(on));
    }

    private static String driver(String name, SettingsTable tables) {
        var table = tables.table(name);
        var drivers = Drivers.all().stream().map(Driver::name).toList();
        var driver = table.text("driver")
                .orElseThrow(() -> table.source()
                        .wrong(
                                "The agent \"%s\" has no driver.".formatted(name),
                                "Add a line to it: driver = one of %s. It is in %s."
                                        .formatted(String.join(", ", drivers), tables.where(name))));
        if (!drivers.contains(driver)) throw table.wrong("driver", "one of " + String.join(", ", drivers));
        if (name.equals("command") && !driver.equals("command")) {
            throw table.source()
                    .wrong(
                            "The agent \"command\" must have the driver command.",
                            "Choose another name for the agent with the driver %s. It is in %s."
                                    .formatted(driver, tables.where(name)));
        }
        return driver;
    }

    static Optional<Permissions> permissions(SettingsTable table) {
        return table.oneOf("permissions", "safe", "edit", "all").map(Permissions::of);
    }

    static Budget caps(SettingsTable table) {
        return new Budget(
                table.duration("max_time"),
                table.number("max_tokens", Integer.MAX_VALUE),
                table.dollars("max_cost_usd"),
                table.number("max_turns", Integer.MAX_VALUE).map(Math::toIntExact),
                Long.MAX_VALUE);
    }
}
