package dev.roost.daemon.config;

import dev.roost.agents.Drivers;
import dev.roost.agents.Prices;
import dev.roost.house.Config;
import dev.roost.house.DayBudget;
import dev.roost.run.Caps;
import dev.roost.run.Faults;
import dev.roost.sessions.WakePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** {@code config.toml}, then {@code ROOST_*} of the daemon's environment. What is not understood is refused by name. */
public final class ConfigFile {

    private static final Set<String> PLAIN = plain(
            "ledger",
            "max_live",
            "max_live_cluster",
            "max_live_per_owner",
            "over_capacity",
            "max_depth",
            "max_output",
            "default_agent",
            "quiet_after",
            "max_quiet",
            "max_attempts",
            "sleep_signals",
            "log_format",
            "wake",
            "wake_quiet",
            "wake_limit");
    private static final Map<String, Set<String>> TABLES = Map.ofEntries(
            Map.entry("permissions", Set.of("parent_may_approve", "timeout")),
            Map.entry("budget", Set.of("max_cost_usd_per_owner_per_day", "max_tokens_per_owner_per_day")),
            Map.entry("tools", Set.of("agents")),
            Map.entry(NotifySettings.TABLE, NotifySettings.KNOWN),
            Map.entry(TelemetrySettings.TABLE, TelemetrySettings.KNOWN),
            Map.entry(WorkSettings.TABLE, WorkSettings.KNOWN),
            Map.entry(WorkSettings.PAUSE, WorkSettings.KNOWN_OF_PAUSE),
            Map.entry(NodeSettings.TABLE, NodeSettings.KNOWN));

    private static Set<String> plain(String... names) {
        var plain = new TreeSet<>(WorkSettings.PLAIN);
        plain.addAll(HttpSetting.PLAIN);
        plain.addAll(Set.of(names));
        return plain;
    }

    private final Settings settings;
    private final Settings permissions;
    private final Settings budget;
    private final Settings notify;
    private final Settings telemetry;
    private final Settings node;

    private ConfigFile(Settings settings, Map<String, String> environment) {
        this.settings = settings.only(known());
        this.permissions = table("permissions", environment);
        this.budget = table("budget", environment);
        this.node = settings.table(NodeSettings.TABLE).only(NodeSettings.KNOWN);
        override(node, Set.of("name", "lease", "grace"), "ROOST_NODE_", environment);
        this.notify = settings.table(NotifySettings.TABLE).only(NotifySettings.KNOWN);
        override(notify, Set.of("webhook", "webhook_secret_file", "give_up"), "ROOST_NOTIFY_", environment);
        this.telemetry = settings.table(TelemetrySettings.TABLE).only(TelemetrySettings.KNOWN);
        override(telemetry, Set.of("otlp", "content"), "ROOST_TELEMETRY_", environment);
        settings.table("tools").only(TABLES.getOrDefault("tools", Set.of()));
        override(settings, PLAIN, "ROOST_", environment);
    }

    /** Where the user's own files are. */
    static Path directory(Map<String, String> environment) {
        var base = environment.getOrDefault(
                "XDG_CONFIG_HOME", environment.getOrDefault("HOME", System.getProperty("user.home")) + "/.config");
        return Path.of(base, "roost");
    }

    public static Config load(Map<String, String> environment) {
        return read(environment).config(PriceFile.load(directory(environment).resolve("prices.toml")));
    }

    /** What is the daemon's matter and not Roost's. */
    public static SurfaceSettings surfaces(Map<String, String> environment) {
        var file = read(environment);
        var settings = file.settings;
        var tools = settings.table("tools");
        return new SurfaceSettings(
                HttpSetting.of(settings),
                tools.has("agents") ? Optional.of(tools.texts("agents")) : Optional.empty(),
                NotifySettings.of(file.notify),
                settings.oneOf("sleep_signals", "on", "off").orElse("on").equals("on"),
                TelemetrySettings.of(file.telemetry, environment),
                NodeSettings.of(settings, file.node, environment),
                settings.oneOf("log_format", "text", "json")
                        .map(word -> LogFormat.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(LogFormat.TEXT));
    }

    private static ConfigFile read(Map<String, String> environment) {
        var file = directory(environment).resolve("config.toml");
        var source = new Settings.Source("bad_config", file.toString(), true);
        return new ConfigFile(Settings.read(source, file), environment);
    }

    private static Set<String> known() {
        var known = new TreeSet<>(PLAIN);
        known.addAll(TABLES.keySet());
        known.add("agents");
        known.add(HttpSetting.NAMES);
        return known;
    }

    private Settings table(String name, Map<String, String> environment) {
        var known = TABLES.getOrDefault(name, Set.of());
        var table = settings.table(name).only(known);
        override(table, known, "ROOST_%s_".formatted(name.toUpperCase(Locale.ROOT)), environment);
        return table;
    }

    private static void override(Settings table, Set<String> names, String prefix, Map<String, String> environment) {
        for (var name : names) {
            var value = environment.get(prefix + name.toUpperCase(Locale.ROOT));
            if (value != null) table.put(name, value);
        }
    }

    private Config config(Prices prices) {
        var caps = new Caps(
                number("max_live_per_owner", 100_000).orElse(Caps.DEFAULT.perOwner()),
                number("max_live", 100_000).orElse(Caps.DEFAULT.machine()),
                settings.oneOf("over_capacity", "queue", "refuse")
                        .map(word -> Caps.Overflow.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(Caps.Overflow.QUEUE));
        var agents = AgentTables.read(settings);
        return new Config(
                caps,
                number("max_depth", 10).orElse(Config.DEFAULT.maxDepth()),
                settings.number("max_output", Long.MAX_VALUE).orElse(Config.DEFAULT.maxOutput()),
                agents,
                defaultAgent(agents),
                new Config.Asking(permissions.flag("parent_may_approve").orElse(false), timeout()),
                settings.duration("quiet_after").orElse(Config.DEFAULT.quietAfter()),
                settings.duration("max_quiet"),
                new DayBudget(
                        budget.number("max_tokens_per_owner_per_day", Long.MAX_VALUE),
                        budget.dollars("max_cost_usd_per_owner_per_day")),
                number("max_attempts", 100).orElse(Config.DEFAULT.maxAttempts()),
                prices,
                waking(),
                Set.of(),
                WorkSettings.pauses(settings),
                WorkSettings.of(settings),
                Faults.NONE);
    }

    private WakePolicy waking() {
        var usual = WakePolicy.DEFAULT;
        return new WakePolicy(
                settings.oneOf("wake", "off", "idle", "headless")
                        .map(word -> WakePolicy.Mode.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(usual.mode()),
                settings.duration("wake_quiet").orElse(usual.quiet()),
                number("wake_limit", 1000).orElse(usual.limit()),
                usual.window(),
                usual.most());
    }

    private Optional<Integer> number(String name, int most) {
        return settings.number(name, most).map(Math::toIntExact);
    }

    /** {@code never}: a question waits for as long as it takes. */
    private Optional<Duration> timeout() {
        if (permissions.has("timeout") && permissions.text("timeout").equals(Optional.of("never")))
            return Optional.empty();
        return permissions.duration("timeout").or(() -> Config.DEFAULT.asking().timeout());
    }

    private Optional<String> defaultAgent(Map<String, Config.NamedAgent> agents) {
        var name = settings.text("default_agent");
        if (name.isPresent()
                && !agents.containsKey(name.get())
                && Drivers.find(name.get()).isEmpty())
            throw settings.wrong("default_agent", "the name of an agent or a driver");
        return name;
    }
}
