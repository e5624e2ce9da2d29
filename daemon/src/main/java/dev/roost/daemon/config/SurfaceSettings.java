package dev.roost.daemon.config;

import java.util.List;
import java.util.Optional;

/**
 * What the operator may set of the surfaces: where to listen for HTTP, which agents models may start, where notices go,
 * and whether to listen for the machine's sleep.
 */
public record SurfaceSettings(
        HttpSetting http, Optional<List<String>> toolAgents, NotifySettings outward, boolean sleepSignals) {

    /** With nothing that reaches beyond the house. */
    public SurfaceSettings(HttpSetting http, Optional<List<String>> toolAgents) {
        this(http, toolAgents, NotifySettings.NONE, false);
    }
}
