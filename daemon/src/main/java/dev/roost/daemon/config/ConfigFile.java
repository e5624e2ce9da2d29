package dev.roost.daemon.config;

import dev.roost.agents.Drivers;
import dev.roost.agents.Prices;
import dev.roost.house.Config;
import dev.roost.house.DayBudget;
import dev.roost.run.Caps;
import dev.roost.sessions.WakePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** {@code config.toml}, then {@code ROOST_*} of the daemon's environment. What is not understood is refused by name. */
public final class ConfigFile {

    private final Settings settings;
    private final Settings permissions;
    private final Settings budget;
    private final Settings notify;
    private final Settings telemetry;
    private final Settings node;

    private ConfigFile(Settings settings, Map<String, String> environment) {
        this.settings = settings.only(Keys.known(""));
        this.permissions = table("permissions", environment);
        this.budget = table("budget", environment);
        this.node = table(NodeSettings.TABLE, environment);
        this.notify = table(NotifySettings.TABLE, environment);
        this.telemetry = table(TelemetrySettings.TABLE, environment);
        settings.table("tools").only(Keys.known("tools"));
        override(settings, "", environment);
    }

    /** Where the user's own files are. */
    static Path directory(Map<String, String> environment) {
        var config = environment.getOrDefault("XDG_CONFIG_HOME", "");
        if (config.startsWith("/")) return Path.of(config, "roost");
        var user = environment.getOrDefault("HOME", "");
        return Path.of(user.isEmpty() ? System.getProperty("user.home") : user, ".config", "roost");
    }

    public static Config load(Map<String, String> environment) {
        return read(environment).config(PriceFile.load(directory(environment).resolve("prices.toml")));
    }

    /** What is the daemon's matter and not Roost's. */
    public static SurfaceSettings surfaces(Map<String, String> environment) {
        var file = read(environment);
        var settings = file.settings;
        var tools = settings.table("tools");
        var remarks = new ArrayList<String>();
        return new SurfaceSettings(
                HttpSetting.of(settings),
                tools.has("agents") ? Optional.of(tools.texts("agents")) : Optional.empty(),
                NotifySettings.of(file.notify),
                settings.oneOf("sleep_signals", "on", "off").orElse("on").equals("on"),
                TelemetrySettings.of(file.telemetry, environment, remarks),
                NodeSettings.of(settings, file.node, environment),
                settings.oneOf("log_format", "text", "json")
                        .map(word -> LogFormat.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(LogFormat.TEXT),
                remarks);
    }

    private static ConfigFile read(Map<String, String> environment) {
        var file = directory(environment).resolve("config.toml");
        var source = new Settings.Source("bad_config", file.toString(), true);
        return new ConfigFile(Settings.read(source, file), environment);
    }

    private Settings table(String name, Map<String, String> environment) {
        var table = settings.table(name).only(Keys.known(name));
        override(table, name, environment);
        return table;
    }

    private static void override(Settings settings, String table, Map<String, String> environment) {
        for (var key : Keys.config()) {
            if (!key.table().equals(table)) continue;
            key.overruledBy().map(environment::get).ifPresent(value -> settings.put(key.name(), value));
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
        var usual = Config.DEFAULT;
        return new Config(
                        caps,
                        number("max_depth", 10).orElse(usual.maxDepth()),
                        settings.number("max_output", Long.MAX_VALUE).orElse(usual.maxOutput()))
                .with(agents)
                .withDefaultAgent(defaultAgent(agents))
                .with(new Config.Asking(permissions.flag("parent_may_approve").orElse(false), timeout()))
                .withQuiet(settings.duration("quiet_after").orElse(usual.quietAfter()), settings.duration("max_quiet"))
                .with(new DayBudget(
                        budget.number("max_tokens_per_owner_per_day", Long.MAX_VALUE),
                        budget.dollars("max_cost_usd_per_owner_per_day")))
                .withMaxAttempts(number("max_attempts", 100).orElse(usual.maxAttempts()))
                .with(prices)
                .with(waking())
                .with(WorkSettings.pauses(settings))
                .with(WorkSettings.of(settings));
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
