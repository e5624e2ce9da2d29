package dev.roost.daemon.config;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;

import dev.roost.agents.driver.Drivers;
import dev.roost.config.EngineConfig;
import dev.roost.config.PausePolicy;
import dev.roost.config.WakePolicy;
import dev.roost.config.WorktreePolicy;
import dev.roost.model.Caps;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** All settings. The readers accept no others, and the reference documentation is generated from this catalog. */
public final class SettingCatalog {

    static final String NUMBER = "whole number";
    static final String DURATION = "duration";
    static final String SIZE = "size";
    static final String DOLLARS = "dollars";
    static final String FLAG = "true or false";
    static final String TEXT = "text";
    static final String LIST = "list of texts";
    static final String TABLE = "table of texts";

    private SettingCatalog() {}

    private static final List<SettingDefinition> TOP_LEVEL = List.of(
            SettingDefinition.of(
                    "max_live", NUMBER, Caps.DEFAULT.machine(), "how many runs may be live at once on this machine"),
            SettingDefinition.of(
                    "max_live_per_owner", NUMBER, Caps.DEFAULT.perOwner(), "how many of them may belong to one owner"),
            SettingDefinition.of(
                    "over_capacity",
                    "`queue` or `refuse`",
                    word(Caps.DEFAULT.overflow()),
                    "what happens to a further run: it waits for a slot, or is refused with `over_capacity`"),
            SettingDefinition.of(
                    "max_depth",
                    NUMBER,
                    EngineConfig.DEFAULT.maxDepth(),
                    "how deep runs may be nested, up to 10. 1: a run cannot start runs; 2: it can, and those cannot"),
            SettingDefinition.of(
                    "max_output",
                    NUMBER,
                    EngineConfig.DEFAULT.maxOutput(),
                    "how many bytes a run may write to its output and errors before it is ended"),
            SettingDefinition.of(
                    "max_attempts",
                    NUMBER,
                    EngineConfig.DEFAULT.maxAttempts(),
                    "how many attempts a run that is lost again and again gets in all"),
            SettingDefinition.of(
                    "quiet_after",
                    DURATION,
                    EngineConfig.DEFAULT.quietAfter(),
                    "a run that does nothing for this long is shown as quiet"),
            SettingDefinition.of(
                    "max_quiet", DURATION, "a run that is quiet for this long is ended; without it, never"),
            SettingDefinition.of(
                    "default_agent",
                    "an agent's name",
                    "the agent of runs that name none; without it `command`, and for a model the agent of its own harness"),
            SettingDefinition.of(
                    "wake",
                    "`off`, `idle` or `headless`",
                    word(WakePolicy.DEFAULT.mode()),
                    "which sessions are woken: none, idle ones, or also those that have ended"),
            SettingDefinition.of(
                    "wake_quiet",
                    DURATION,
                    WakePolicy.DEFAULT.quiet(),
                    "no session is woken so soon after its user submitted a prompt"),
            SettingDefinition.of(
                    "wake_limit",
                    NUMBER,
                    WakePolicy.DEFAULT.limit(),
                    "how often in a row a session goes on without its user"),
            SettingDefinition.of(
                    "checkpoint_every",
                    DURATION,
                    WorktreePolicy.DEFAULT.checkpointEvery(),
                    "how often a checkpoint of a live run in a worktree is made"),
            SettingDefinition.of(
                    "checkpoint_max_file",
                    SIZE,
                    size(WorktreePolicy.DEFAULT.largestFile()),
                    "a larger file that is new or changed is in no checkpoint"),
            SettingDefinition.of(
                    "checkpoint_ignored",
                    FLAG,
                    WorktreePolicy.DEFAULT.ignoredToo(),
                    "whether files that git ignores are in checkpoints; not together with `checkpoint_remote`"),
            SettingDefinition.of(
                    "checkpoint_remote", TEXT, "a git remote to which each checkpoint is pushed; without it, none"),
            SettingDefinition.of(
                    "http",
                    "`off` or an address",
                    "where the page and the API listen, such as `127.0.0.1:7077`; without it, at a port of this machine that is chosen once"),
            SettingDefinition.of(
                    "http_certificate", "a file", "the certificate chain for TLS, in PEM; requires `http_key`"),
            SettingDefinition.of("http_key", "a file", "its private key, in PEM"),
            SettingDefinition.of(
                    "http_insecure",
                    FLAG,
                    false,
                    "allows `http` to be an address that other machines can reach, without TLS"),
            SettingDefinition.of(
                            "http_names", LIST, "further host names of the listener, such as `[\"roost.example.net\"]`")
                    .withoutVariable(),
            SettingDefinition.of(
                    "sleep_signals",
                    "`on` or `off`",
                    "on",
                    "whether the daemon asks logind to announce sleep, and to delay it until the runs are prepared"),
            SettingDefinition.of(
                    "log_format", "`text` or `json`", word(LogFormat.TEXT), "how `logs/daemon.0.log` is written"),
            SettingDefinition.of(
                    "ledger",
                    "an address",
                    "a PostgreSQL that several machines use, such as `postgresql://roost@db/roost`; without it, the home's own file"),
            SettingDefinition.of(
                    "max_live_cluster",
                    NUMBER,
                    "how many runs may be live on all nodes together; without it, as many as they can"));

    private static final List<SettingDefinition> TABLES = Stream.of(
                    in(
                            "permissions",
                            SettingDefinition.of(
                                    "parent_may_approve",
                                    FLAG,
                                    EngineConfig.DEFAULT.questionPolicy().parentMayApprove(),
                                    "whether a parent session may allow what its agent asks for; otherwise only a person may"),
                            SettingDefinition.of(
                                    "timeout",
                                    "duration or `never`",
                                    EngineConfig.DEFAULT
                                            .questionPolicy()
                                            .timeout()
                                            .orElseThrow(),
                                    "after this long without an answer, the answer is no")),
                    in(
                            "budget",
                            SettingDefinition.of(
                                    "max_cost_usd_per_owner_per_day",
                                    DOLLARS,
                                    "what the runs of one owner may cost in a day (UTC); without it, any amount"),
                            SettingDefinition.of(
                                    "max_tokens_per_owner_per_day",
                                    NUMBER,
                                    "how many tokens they may use; without it, any number")),
                    in(
                            "tools",
                            SettingDefinition.of(
                                            "agents",
                                            LIST,
                                            "the agents that models may start; without it, all but `command`")
                                    .withoutVariable()),
                    in(
                            NotifySettings.TABLE,
                            SettingDefinition.of(
                                            NotifySettings.ON_NOTICE,
                                            LIST,
                                            "a program and its arguments, run for each notice")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                    NotifySettings.WEBHOOK,
                                    "an address",
                                    "where each notice is POSTed; https, or http on this machine"),
                            SettingDefinition.of(
                                    "webhook_secret_file",
                                    "a file",
                                    "the secret that signs the POST; only you may be able to read the file. Required for a webhook"),
                            SettingDefinition.of(
                                    "give_up",
                                    DURATION,
                                    NotifySettings.NONE.giveUp(),
                                    "a notice that could not be delivered for this long is given up")),
                    in(
                            TelemetrySettings.TABLE,
                            SettingDefinition.of(
                                    "otlp",
                                    "an address",
                                    "the collector that gets a trace of each run, such as `http://127.0.0.1:4318`; without it, `OTEL_EXPORTER_OTLP_ENDPOINT` of the daemon's environment, or none"),
                            SettingDefinition.of("headers", TABLE, "HTTP headers for the collector")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                    "content",
                                    FLAG,
                                    false,
                                    "whether traces include descriptions, results and tool lines")),
                    in(
                            WorktreeSettings.TABLE,
                            SettingDefinition.of(
                                            "setup",
                                            TEXT,
                                            "a script for `sh -e`, run in a fresh worktree before the agent")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                            "copy",
                                            LIST,
                                            "files and directories of your checkout that a fresh worktree gets a copy of")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                            "link",
                                            LIST,
                                            "files and directories of your checkout that a fresh worktree gets a link to")
                                    .withoutVariable()),
                    in(
                            WorktreeSettings.PAUSE,
                            SettingDefinition.of(
                                            "on_pause",
                                            LIST,
                                            "a program and its arguments, run before a pause that is announced")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                            "on_resume",
                                            LIST,
                                            "a program and its arguments, run after an announced pause")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                            "deadline",
                                            DURATION,
                                            PausePolicy.NONE.deadline(),
                                            "how long checkpoints and `on_pause` may take together, and `on_resume` again")
                                    .withoutVariable()),
                    in(
                            NodeSettings.TABLE,
                            SettingDefinition.of("name", TEXT, "the name of this node; without it, the host's name"),
                            SettingDefinition.of("tags", LIST, "tags of this machine, for `roost run --on`")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                            "directories", LIST, "directories and clones that other nodes also have")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                            "worker", FLAG, true, "false: the node takes requests and starts no runs")
                                    .withoutVariable(),
                            SettingDefinition.of(
                                    "lease",
                                    DURATION,
                                    NodeSettings.LEASE,
                                    "after this long without a heartbeat, a node gets no further runs"),
                            SettingDefinition.of(
                                    "grace",
                                    DURATION,
                                    NodeSettings.GRACE,
                                    "after this long without a heartbeat, other nodes take over its runs"),
                            SettingDefinition.of(
                                            "pack_every",
                                            DURATION,
                                            NodeSettings.PACK_EVERY,
                                            "how often a bundle is made of each run that could move to another node")
                                    .withoutVariable()))
            .flatMap(Collection::stream)
            .toList();

    private static final List<SettingDefinition> CAPS = List.of(
            own("max_time", DURATION, "how long a run may work, over all attempts of a turn"),
            own("max_tokens", NUMBER, "how many tokens it may use, read and written"),
            own("max_cost_usd", DOLLARS, "how many dollars it may cost"),
            own("max_turns", NUMBER, "how often its model may be asked"));

    private static final String PERMISSION = "`safe`, `edit` or `all`";

    /** Settings of {@code [agents.NAME]}. */
    private static final List<SettingDefinition> AGENT = join(
            List.of(
                    own("driver", "a driver", "how the agent is run: " + drivers() + ". Required"),
                    own("command", LIST, "its program and first arguments; without it, the driver's usual program"),
                    own("model", TEXT, "the model that it uses"),
                    own("args", LIST, "further arguments of its program"),
                    SettingDefinition.of(
                                    "permissions",
                                    PERMISSION,
                                    "safe",
                                    "what it may do without asking: `safe` reads, `edit` also edits files where it works, `all` does anything")
                            .withoutVariable(),
                    own("system_prompt", TEXT, "instructions for its model, before the prompt"),
                    own("env", TABLE, "variables that are added to its environment"),
                    own("on", LIST, "in a cluster: it runs only on nodes with these tags")),
            CAPS);

    /** Settings at the top of a project's file. */
    private static final List<SettingDefinition> PROJECT = join(
            CAPS,
            List.of(
                    own("permissions", PERMISSION, "the most that any agent has here"),
                    own("default_agent", "an agent's name", "the agent of runs in this project that name none")));

    /** Tables of a project's file with the same meaning as in {@code config.toml}. */
    static final Set<String> PROJECT_TABLES = Set.of("agents", WorktreeSettings.TABLE);

    /** Settings of a model in {@code prices.toml}. */
    private static final List<SettingDefinition> PRICE = List.of(
            own("input", DOLLARS, "for a million input tokens that are not from the cache. Required"),
            own("cached", DOLLARS, "for a million tokens from the provider's cache; without it, as `input`"),
            own("output", DOLLARS, "for a million output tokens. Required"));

    /** Settings of {@code config.toml}, without those of its agents. */
    public static List<SettingDefinition> config() {
        return join(TOP_LEVEL, TABLES);
    }

    public static List<SettingDefinition> agent() {
        return AGENT;
    }

    public static List<SettingDefinition> project() {
        return PROJECT;
    }

    public static List<SettingDefinition> price() {
        return PRICE;
    }

    /** The names in a table of {@code config.toml}; at the top, also the names of the tables. */
    static Set<String> known(String table) {
        var known = names(config().stream().filter(key -> key.table().equals(table)));
        if (table.isEmpty()) {
            TABLES.forEach(key -> known.add(key.table()));
            known.add("agents");
        }
        return known;
    }

    static Set<String> names(Collection<SettingDefinition> keys) {
        return names(keys.stream());
    }

    private static Set<String> names(Stream<SettingDefinition> keys) {
        return keys.map(SettingDefinition::name).collect(toCollection(TreeSet::new));
    }

    private static SettingDefinition own(String name, String type, String meaning) {
        return SettingDefinition.of(name, type, meaning).withoutVariable();
    }

    private static List<SettingDefinition> in(String table, SettingDefinition... keys) {
        return Stream.of(keys).map(key -> key.in(table)).toList();
    }

    private static List<SettingDefinition> join(List<SettingDefinition> first, List<SettingDefinition> second) {
        var all = new ArrayList<>(first);
        all.addAll(second);
        return List.copyOf(all);
    }

    private static String drivers() {
        return Drivers.all().stream()
                .map(driver -> "`%s`".formatted(driver.name()))
                .collect(joining(", "));
    }

    private static String word(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }

    private static String size(long bytes) {
        return (bytes >> 20) + "MB";
    }
}
