package dev.roost.daemon.config;

import dev.roost.base.BadInput;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** A table of a TOML file. Each setting is read with its type; an invalid one is refused by name. */
final class SettingsTable {

    private static final Duration LONGEST = Duration.ofDays(365);

    /** The origin of a table: the code of its errors, the file, and whether the environment may override the file. */
    record Source(ErrorCode code, String name, boolean orEnvironment) {

        RoostError wrong(String sentence, String hint) {
            return code.error(sentence, hint);
        }
    }

    private final Source source;
    private final String prefix;
    private final Map<String, Object> values;
    private final Map<String, TomlPosition> positions;

    private SettingsTable(Source source, String prefix, Optional<TomlTable> table) {
        this.source = source;
        this.prefix = prefix;
        this.values = new HashMap<>(table.map(TomlTable::toMap).orElse(Map.of()));
        this.positions = new HashMap<>();
        for (var name : values.keySet()) {
            table.map(one -> one.inputPositionOf(List.of(name))).ifPresent(place -> positions.put(name, place));
        }
    }

    /** The file's settings; none if there is no such file. */
    static SettingsTable read(Source source, Path file) {
        if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) return new SettingsTable(source, "", Optional.empty());
        try {
            return parse(source, TomlText.read(source, file));
        } catch (NoSuchFileException e) {
            throw source.wrong("%s is a link without a target.".formatted(file), "Correct the link, or remove it.");
        } catch (IOException e) {
            throw source.wrong(
                    "%s cannot be read: %s.".formatted(file, TextFormat.why(e).replace(file + ": ", "")),
                    "Make it readable.");
        }
    }

    static SettingsTable parse(Source source, String text) {
        var toml = Toml.parse(TomlText.checkNesting(source, text));
        if (toml.hasErrors()) {
            var first = toml.errors().getFirst();
            throw source.wrong(
                    "%s is not valid TOML: %s."
                            .formatted(source.name, TextFormat.printable(String.valueOf(first.getMessage()))),
                    "Correct it at %s.".formatted(words(first.position())));
        }
        return new SettingsTable(source, "", Optional.of(toml));
    }

    /** Refuses every setting that is not among {@code known}. */
    SettingsTable only(Set<String> known) {
        var unknown = new TreeSet<>(values.keySet());
        unknown.removeAll(known);
        if (unknown.isEmpty()) return this;
        var named = unknown.stream().map(name -> prefix + name).toList();
        throw source.wrong(
                "%s has an unknown setting: %s%s."
                        .formatted(
                                source.name,
                                TextFormat.printable(String.join(", ", named)),
                                place(unknown.getFirst())
                                        .map(place -> ", at " + place)
                                        .orElse("")),
                "Known settings%s: %s."
                        .formatted(prefix.isEmpty() ? "" : " here", String.join(", ", new TreeSet<>(known))));
    }

    void put(String name, String value) {
        values.put(name, value);
        positions.remove(name);
    }

    private static String words(TomlPosition place) {
        return "line %d, column %d".formatted(place.line(), place.column());
    }

    /** The setting's position in the file; empty for a table without a header of its own. */
    private Optional<String> place(String name) {
        return Optional.ofNullable(positions.get(name)).map(SettingsTable::words);
    }

    /** Where to correct a setting: the file with the line, or the variable that overrides it. */
    String where(String name) {
        var place = place(name);
        if (place.isPresent()) return source.name + ", " + place.get();
        return variable(name).filter(_ -> has(name)).orElse(source.name);
    }

    Set<String> names() {
        return new TreeSet<>(values.keySet());
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    Source source() {
        return source;
    }

    /** The name of a setting with its tables. */
    String full(String name) {
        return TextFormat.printable(prefix + name);
    }

    RoostError wrong(String name, String expected) {
        return source.wrong(
                "The setting %s is not %s.".formatted(full(name), expected),
                "Correct it in %s.".formatted(where(name)));
    }

    /** The environment variable that can override the setting, if there is one. */
    private Optional<String> variable(String name) {
        if (!source.orEnvironment) return Optional.empty();
        return SettingCatalog.config().stream()
                .filter(key -> key.full().equals(prefix + name))
                .findFirst()
                .flatMap(SettingDefinition::overruledBy);
    }

    /** A table inside this one; an empty one if there is none. */
    SettingsTable table(String name) {
        return switch (values.get(name)) {
            case null -> new SettingsTable(source, prefix + name + ".", Optional.empty());
            case TomlTable table -> new SettingsTable(source, prefix + name + ".", Optional.of(table));
            default -> throw wrong(name, "a table, [%s]".formatted(full(name)));
        };
    }

    Optional<String> text(String name) {
        return switch (values.get(name)) {
            case null -> Optional.empty();
            case String text when !text.isBlank() && text.indexOf('\0') < 0 -> Optional.of(text);
            default -> throw wrong(name, "a string with something in it");
        };
    }

    Optional<String> oneOf(String name, String... words) {
        var word = text(name);
        if (word.isEmpty() || List.of(words).contains(word.get())) return word;
        throw wrong(name, "one of " + String.join(", ", words));
    }

    List<String> texts(String name) {
        var texts = new ArrayList<String>();
        switch (values.get(name)) {
            case null -> {}
            case TomlArray array -> {
                for (var one : array.toList()) {
                    if (!(one instanceof String text) || text.indexOf('\0') >= 0)
                        throw wrong(name, "a list of strings");
                    texts.add(text);
                }
            }
            default -> throw wrong(name, "a list of strings");
        }
        return texts;
    }

    Map<String, String> textsByName(String name) {
        var texts = new LinkedHashMap<String, String>();
        var table = table(name);
        for (var one : table.names()) {
            if (!(table.values.get(one) instanceof String text) || text.indexOf('\0') >= 0)
                throw table.wrong(one, "a string");
            texts.put(one, text);
        }
        return texts;
    }

    Optional<Boolean> flag(String name) {
        return switch (String.valueOf((@Nullable Object) values.getOrDefault(name, ""))) {
            case "" -> Optional.empty();
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> throw wrong(name, "true or false");
        };
    }

    Optional<Long> number(String name, long most) {
        var value = values.get(name);
        if (value == null) return Optional.empty();
        try {
            long number = Long.parseLong(value.toString());
            if (number >= 1 && number <= most) return Optional.of(number);
        } catch (NumberFormatException e) {
            // reported below
        }
        throw wrong(name, "a whole number of at least 1");
    }

    /** An amount of dollars, in millionths. */
    Optional<Long> dollars(String name) {
        return decimal(name).map(amount -> {
            if (amount < 0.000001) throw wrong(name, "an amount of dollars like 2.50");
            return Math.round(amount * 1e6);
        });
    }

    Optional<Double> decimal(String name) {
        var value = values.get(name);
        if (value == null) return Optional.empty();
        try {
            double amount = new BigDecimal(value.toString()).doubleValue();
            if (amount >= 0 && amount < 1e6) return Optional.of(amount);
        } catch (NumberFormatException e) {
            // reported below
        }
        throw wrong(name, "an amount of dollars like 2.50");
    }

    /** A size in bytes. */
    Optional<Long> size(String name) {
        try {
            return text(name).map(text -> TextFormat.size(full(name), text));
        } catch (BadInput e) {
            throw withLocation(name, e);
        }
    }

    /** The same error, with the place to correct in its hint. */
    RoostError withLocation(String name, RoostError e) {
        return ErrorCode.of(e).error(e.sentence(), "%s It is in %s.".formatted(e.hint(), where(name)));
    }

    Optional<Duration> duration(String name) {
        var value = values.get(name);
        if (value == null) return Optional.empty();
        if (value instanceof TomlTable || value instanceof TomlArray) throw wrong(name, "a duration like \"30m\"");
        try {
            var time = TextFormat.duration(full(name), value.toString());
            if (!time.isZero() && time.compareTo(LONGEST) <= 0) return Optional.of(time);
        } catch (BadInput e) {
            throw source.wrong(e.sentence(), "%s It is in %s.".formatted(e.hint(), where(name)));
        }
        throw wrong(name, "a duration between 1 millisecond and %d days".formatted(LONGEST.toDays()));
    }
}
