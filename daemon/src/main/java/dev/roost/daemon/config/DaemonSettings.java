package dev.roost.daemon.config;

import java.util.List;
import java.util.Optional;

/**
 * What the operator may set of the surfaces: where to listen for HTTP, which agents models may start, where notices go,
 * whether to listen for the machine's sleep, where traces go, which node of a cluster this is, and how the log is written. {@code remarks} are for that log: what was passed over.
 */
public record DaemonSettings(
        HttpSetting http,
        Optional<List<String>> toolAgents,
        NotifySettings notifications,
        boolean sleepSignals,
        Optional<TelemetrySettings> telemetry,
        Optional<NodeSettings> node,
        LogFormat logs,
        List<String> remarks) {

    /** With nothing that reaches beyond the house. */
    public DaemonSettings(HttpSetting http, Optional<List<String>> toolAgents) {
        this(
                http,
                toolAgents,
                NotifySettings.NONE,
                false,
                Optional.empty(),
                Optional.empty(),
                LogFormat.TEXT,
                List.of());
    }
}
