package dev.roost.daemon;

import dev.roost.Config;
import dev.roost.run.BadInput;
import dev.roost.run.Caps;
import dev.roost.run.Words;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tomlj.Toml;

/** {@code config.toml}, then {@code ROOST_*} of the daemon's environment. What is not understood is refused by name. */
final class ConfigFile {

    private static final Set<String> KNOWN =
            Set.of("max_live", "max_live_per_owner", "over_capacity", "max_depth", "max_output");

    private final String source;
    private final Map<String, Object> values;

    private ConfigFile(String source, Map<String, Object> values) {
        this.source = source;
        this.values = values;
    }

    static Config load(Map<String, String> environment) {
        var base = environment.getOrDefault(
                "XDG_CONFIG_HOME", environment.getOrDefault("HOME", System.getProperty("user.home")) + "/.config");
        var file = Path.of(base, "roost", "config.toml");
        var config = new ConfigFile(file.toString(), read(file));
        for (var name : KNOWN) {
            var value = environment.get("ROOST_" + name.toUpperCase(Locale.ROOT));
            if (value != null) config.values.put(name, value);
        }
        return config.config();
    }

    private static Map<String, Object> read(Path file) {
        if (!Files.exists(file)) return new HashMap<>();
        try {
            var toml = Toml.parse(file);
            if (toml.hasErrors()) {
                throw new BadInput(
                        "bad_config",
                        "%s cannot be understood: %s."
                                .formatted(file, toml.errors().getFirst().getMessage()),
                        "Correct it at line %d."
                                .formatted(toml.errors().getFirst().position().line()));
            }
            var strangers = new TreeSet<>(toml.keySet());
            strangers.removeAll(KNOWN);
            if (!strangers.isEmpty()) {
                throw new BadInput(
                        "bad_config",
                        "%s has an unknown setting: %s.".formatted(file, Words.printable(String.join(", ", strangers))),
                        "Known settings: %s.".formatted(String.join(", ", new TreeSet<>(KNOWN))));
            }
            return new HashMap<>(toml.toMap());
        } catch (IOException e) {
            throw new BadInput(
                    "bad_config", "%s cannot be read: %s.".formatted(file, e.getMessage()), "Make it readable.");
        }
    }

    private Config config() {
        var caps = new Caps(
                (int) number("max_live_per_owner", Caps.DEFAULT.perOwner(), 100_000),
                (int) number("max_live", Caps.DEFAULT.machine(), 100_000),
                overflow());
        return new Config(
                caps,
                (int) number("max_depth", Config.DEFAULT.maxDepth(), 10),
                number("max_output", Config.DEFAULT.maxOutput(), Long.MAX_VALUE));
    }

    private Caps.Overflow overflow() {
        return switch (String.valueOf(values.getOrDefault("over_capacity", "queue"))) {
            case "queue" -> Caps.Overflow.QUEUE;
            case "refuse" -> Caps.Overflow.REFUSE;
            default -> throw wrong("over_capacity", "queue or refuse");
        };
    }

    private long number(String name, long otherwise, long most) {
        var value = values.get(name);
        if (value == null) return otherwise;
        try {
            long number = Long.parseLong(String.valueOf(value));
            if (number >= 1 && number <= most) return number;
        } catch (NumberFormatException e) {
            // said below
        }
        throw wrong(name, "a whole number of at least 1");
    }

    private BadInput wrong(String name, String expected) {
        return new BadInput(
                "bad_config",
                "The setting %s is not %s.".formatted(name, expected),
                "Correct it in %s, or in ROOST_%s.".formatted(source, name.toUpperCase(Locale.ROOT)));
    }
}
