package dev.roost.docgen;

/** The environment variables that are no settings. A test finds missing ones. */
enum EnvironmentVariable {
    ROOST_HOME("you", "the home; without it `$XDG_STATE_HOME/roost`, that is `~/.local/state/roost`"),
    ROOST_OPERATOR("you", "`1` in a harness's own shell: a person uses it, not the session"),
    ROOST_PORTABLE("you", "`1`: Roost uses no calls that only Linux has ([macos.md](../macos.md))"),
    ROOST_FAULTS(
            "you",
            "a file of faults that the daemon injects into itself, for tests ([chaos.md](../chaos.md#faults-on-purpose))"),
    ROOST_RUN_ID("Roost, for agents", "the run"),
    ROOST_ATTEMPT("Roost, for agents", "the number of the attempt"),
    ROOST_TURN("Roost, for agents", "the number of the turn: 1, and one more each time the run is continued"),
    ROOST_OWNER("Roost, for agents", "the run's owner; calls from inside the run are made for that owner"),
    ROOST_RESULT_FILE(
            "Roost, for agents", "the file for a command's result; without it, the result is its standard output"),
    NO_COLOR("you", "no colours, if it is set to any value"),
    XDG_STATE_HOME("your system", "`roost/` in it is the home"),
    XDG_CONFIG_HOME("your system", "`roost/` in it has `config.toml` and `prices.toml`"),
    TRACEPARENT("your tools", "the run's trace links to it"),
    OTEL_EXPORTER_OTLP_ENDPOINT("you", "the collector for traces, if `[telemetry]` has none"),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT("you", "the same, as a complete URL"),
    OTEL_EXPORTER_OTLP_HEADERS("you", "headers for it"),
    PGPASSWORD("you", "the password of the shared ledger; better in `~/.pgpass`"),
    PGPASSFILE("you", "another file than `~/.pgpass`");

    private final String setBy;
    private final String meaning;

    EnvironmentVariable(String setBy, String meaning) {
        this.setBy = setBy;
        this.meaning = meaning;
    }

    String setBy() {
        return setBy;
    }

    String meaning() {
        return meaning;
    }
}
