package dev.roost.daemon.config;

import java.util.List;
import java.util.Optional;

/**
 * The operator's settings of the daemon: the HTTP address, the agents that models may start, the channels for notices, sleep
 * signals, telemetry, the node of a cluster, and the log's format. {@code remarks} names ignored settings, for the log.
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

    /** Settings without notifications, sleep signals, telemetry and cluster. */
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
