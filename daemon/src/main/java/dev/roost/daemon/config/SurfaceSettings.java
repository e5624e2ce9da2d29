package dev.roost.daemon.config;

import java.util.List;
import java.util.Optional;

/** What the operator may set of the surfaces: where to listen for HTTP, and which agents models may start. */
public record SurfaceSettings(HttpSetting http, Optional<List<String>> toolAgents) {}
