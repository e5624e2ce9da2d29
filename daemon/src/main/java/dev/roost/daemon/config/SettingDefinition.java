package dev.roost.daemon.config;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * A setting that a user may write: its place, its type, its default and its meaning. {@code usual} is the default, written as
 * in the file; it is empty if {@code meaning} describes the default in words.
 *
 * @param table the table of the setting; empty at the top of the file
 * @param variable whether {@code ROOST_*} in the daemon's environment may override the file
 */
public record SettingDefinition(
        String table, String name, String type, Optional<String> usual, String meaning, boolean variable) {

    static SettingDefinition of(String name, String type, String meaning) {
        return new SettingDefinition("", name, type, Optional.empty(), meaning, true);
    }

    static SettingDefinition of(String name, String type, Object usual, String meaning) {
        return of(name, type, meaning)
                .withDefault(
                        switch (usual) {
                            case Duration time -> "\"%s\"".formatted(span(time));
                            case Number number -> number.toString();
                            case Boolean flag -> flag.toString();
                            default -> "\"%s\"".formatted(usual);
                        });
    }

    private SettingDefinition withDefault(String text) {
        return new SettingDefinition(table, name, type, Optional.of(text), meaning, variable);
    }

    SettingDefinition in(String table) {
        return new SettingDefinition(table, name, type, usual, meaning, variable);
    }

    /** A setting that the environment cannot override: lists, tables, and settings of one agent. */
    SettingDefinition withoutVariable() {
        return new SettingDefinition(table, name, type, usual, meaning, false);
    }

    /** The name with its table. */
    public String full() {
        return table.isEmpty() ? name : table + "." + name;
    }

    /** The environment variable that overrides the setting. */
    public Optional<String> overruledBy() {
        return variable ? Optional.of("ROOST_" + full().toUpperCase(Locale.ROOT).replace('.', '_')) : Optional.empty();
    }

    /** A duration as it is written in these files. */
    private static String span(Duration time) {
        if (time.toMillis() % 1000 != 0) return time.toMillis() + "ms";
        if (time.toSeconds() % 60 != 0) return time.toSeconds() + "s";
        if (time.toMinutes() % 60 != 0) return time.toMinutes() + "m";
        return time.toHours() + "h";
    }
}
