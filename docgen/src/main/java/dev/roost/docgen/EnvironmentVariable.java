package dev.roost.docgen;

/** The environment variables that are no settings. A test finds missing ones. */
enum EnvironmentVariable {
    ROOST_HOME("you", "where everything lives; without it `$XDG_STATE_HOME/roost`, that is `~/.local/state/roost`"),
    ROOST_OPERATOR("you", "`1` in a harness's own shell: it is a person who types, and not the session"),
    ROOST_PORTABLE("you", "`1`: nothing that only Linux has is used ([macos.md](../macos.md))"),
    ROOST_FAULTS(
            "you",
            "a file of faults that the daemon does to itself, for tests ([chaos.md](../chaos.md#faults-on-purpose))"),
    ROOST_RUN_ID("Roost, for agents", "the run"),
    ROOST_ATTEMPT("Roost, for agents", "the number of the attempt"),
    ROOST_TURN("Roost, for agents", "the number of the turn: 1, and one more each time the run is continued"),
    ROOST_OWNER("Roost, for agents", "for whom it works; whoever speaks from inside the run speaks for that owner"),
    ROOST_RESULT_FILE(
            "Roost, for agents", "what a command writes there is its result; otherwise its standard output is"),
    NO_COLOR("you", "no colours, if it is set to anything"),
    XDG_STATE_HOME("your system", "`roost/` in it is the home"),
    XDG_CONFIG_HOME("your system", "`roost/` in it has `config.toml` and `prices.toml`"),
    TRACEPARENT("your tools", "the run's trace links to it"),
    OTEL_EXPORTER_OTLP_ENDPOINT("you", "the collector for traces, where `[telemetry]` names none"),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT("you", "the same, with its whole path"),
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
