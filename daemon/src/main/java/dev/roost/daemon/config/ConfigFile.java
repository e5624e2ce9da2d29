package dev.roost.daemon.config;

import dev.roost.agents.Prices;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.ErrorCode;
import dev.roost.config.DailyBudget;
import dev.roost.config.EngineConfig;
import dev.roost.config.WakePolicy;
import dev.roost.model.Caps;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads {@code config.toml}, then {@code ROOST_*} of the daemon's environment. Refuses unknown settings by name. */
public final class ConfigFile {

    private final SettingsTable settings;
    private final SettingsTable permissions;
    private final SettingsTable budget;
    private final SettingsTable notify;
    private final SettingsTable telemetry;
    private final SettingsTable node;

    private ConfigFile(SettingsTable settings, Map<String, String> environment) {
        this.settings = settings.only(SettingCatalog.known(""));
        this.permissions = table("permissions", environment);
        this.budget = table("budget", environment);
        this.node = table(NodeSettings.TABLE, environment);
        this.notify = table(NotifySettings.TABLE, environment);
        this.telemetry = table(TelemetrySettings.TABLE, environment);
        settings.table("tools").only(SettingCatalog.known("tools"));
        override(settings, "", environment);
    }

    /** The directory of the user's configuration files. */
    static Path directory(Map<String, String> environment) {
        var config = environment.getOrDefault("XDG_CONFIG_HOME", "");
        if (config.startsWith("/")) return Path.of(config, "roost");
        var user = environment.getOrDefault("HOME", "");
        return Path.of(user.isEmpty() ? System.getProperty("user.home") : user, ".config", "roost");
    }

    public static EngineConfig load(Map<String, String> environment) {
        return read(environment).config(PriceFile.load(directory(environment).resolve("prices.toml")));
    }

    /** The settings of the daemon itself; {@link #load} reads those of the engine. */
    public static DaemonSettings surfaces(Map<String, String> environment) {
        var file = read(environment);
        var settings = file.settings;
        var tools = settings.table("tools");
        var remarks = new ArrayList<String>();
        return new DaemonSettings(
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
        var source = new SettingsTable.Source(ErrorCode.BAD_CONFIG, file.toString(), true);
        return new ConfigFile(SettingsTable.read(source, file), environment);
    }

    private SettingsTable table(String name, Map<String, String> environment) {
        var table = settings.table(name).only(SettingCatalog.known(name));
        override(table, name, environment);
        return table;
    }

    private static void override(SettingsTable settings, String table, Map<String, String> environment) {
        for (var key : SettingCatalog.config()) {
            if (!key.table().equals(table)) continue;
            key.overruledBy().map(environment::get).ifPresent(value -> settings.put(key.name(), value));
        }
    }

    private EngineConfig config(Prices prices) {
        var caps = new Caps(
                number("max_live_per_owner", 100_000).orElse(Caps.DEFAULT.perOwner()),
                number("max_live", 100_000).orElse(Caps.DEFAULT.machine()),
                settings.oneOf("over_capacity", "queue", "refuse")
                        .map(word -> Caps.Overflow.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(Caps.Overflow.QUEUE));
        var agents = AgentTables.read(settings);
        var defaults = EngineConfig.DEFAULT;
        return new EngineConfig(
                        caps,
                        number("max_depth", 10).orElse(defaults.maxDepth()),
                        settings.number("max_output", Long.MAX_VALUE).orElse(defaults.maxOutput()))
                .with(agents)
                .withDefaultAgent(defaultAgent(agents))
                .with(new EngineConfig.QuestionPolicy(
                        permissions.flag("parent_may_approve").orElse(false), timeout()))
                .withQuiet(
                        settings.duration("quiet_after").orElse(defaults.quietAfter()), settings.duration("max_quiet"))
                .with(new DailyBudget(
                        budget.number("max_tokens_per_owner_per_day", Long.MAX_VALUE),
                        budget.dollars("max_cost_usd_per_owner_per_day")))
                .withMaxAttempts(number("max_attempts", 100).orElse(defaults.maxAttempts()))
                .with(prices)
                .with(waking())
                .with(WorktreeSettings.pauses(settings))
                .with(WorktreeSettings.of(settings));
    }

    private WakePolicy waking() {
        var defaults = WakePolicy.DEFAULT;
        return new WakePolicy(
                settings.oneOf("wake", "off", "idle", "headless")
                        .map(word -> WakePolicy.Mode.valueOf(word.toUpperCase(Locale.ROOT)))
                        .orElse(defaults.mode()),
                settings.duration("wake_quiet").orElse(defaults.quiet()),
                number("wake_limit", 1000).orElse(defaults.limit()),
                defaults.window(),
                defaults.most());
    }

    private Optional<Integer> number(String name, int most) {
        return settings.number(name, most).map(Math::toIntExact);
    }

    /** With {@code never}, a question has no timeout. */
    private Optional<Duration> timeout() {
        if (permissions.has("timeout") && permissions.text("timeout").equals(Optional.of("never")))
            return Optional.empty();
        return permissions
                .duration("timeout")
                .or(() -> EngineConfig.DEFAULT.questionPolicy().timeout());
    }

    private Optional<String> defaultAgent(Map<String, EngineConfig.NamedAgent> agents) {
        var name = settings.text("default_agent");
        if (name.isPresent()
                && !agents.containsKey(name.get())
                && Drivers.find(name.get()).isEmpty())
            throw settings.wrong("default_agent", "the name of an agent or a driver");
        return name;
    }
}
