package dev.roost.daemon.config;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * A setting that people may write: where, of which type, what holds without it, and what it means. {@code usual} is what it is
 * without a line, as one would write it; empty where that is said in words, by {@code meaning}.
 *
 * @param table the table it is in; empty at the top of the file
 * @param variable whether {@code ROOST_*} in the daemon's environment may overrule the file
 */
public record SettingDefinition(
        String table, String name, String type, Optional<String> usual, String meaning, boolean variable) {

    static SettingDefinition of(String name, String type, String meaning) {
        return new SettingDefinition("", name, type, Optional.empty(), meaning, true);
    }

    static SettingDefinition of(String name, String type, Object usual, String meaning) {
        return of(name, type, meaning)
                .usually(
                        switch (usual) {
                            case Duration time -> "\"%s\"".formatted(span(time));
                            case Number number -> number.toString();
                            case Boolean flag -> flag.toString();
                            default -> "\"%s\"".formatted(usual);
                        });
    }

    private SettingDefinition usually(String text) {
        return new SettingDefinition(table, name, type, Optional.of(text), meaning, variable);
    }

    SettingDefinition in(String table) {
        return new SettingDefinition(table, name, type, usual, meaning, variable);
    }

    /** What the environment cannot say: lists and tables, and what belongs to one agent. */
    SettingDefinition withoutVariable() {
        return new SettingDefinition(table, name, type, usual, meaning, false);
    }

    /** As it is called where the tables around it count. */
    public String full() {
        return table.isEmpty() ? name : table + "." + name;
    }

    /** The variable that overrules it. */
    public Optional<String> overruledBy() {
        return variable ? Optional.of("ROOST_" + full().toUpperCase(Locale.ROOT).replace('.', '_')) : Optional.empty();
    }

    /** As people write it in these files. */
    private static String span(Duration time) {
        if (time.toMillis() % 1000 != 0) return time.toMillis() + "ms";
        if (time.toSeconds() % 60 != 0) return time.toSeconds() + "s";
        if (time.toMinutes() % 60 != 0) return time.toMinutes() + "m";
        return time.toHours() + "h";
    }
}
