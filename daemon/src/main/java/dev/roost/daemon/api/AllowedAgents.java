package dev.roost.daemon.api;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.service.RoostService;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The agents that a confined caller may start: those that the configuration names, else all but {@code command}, which would
 * bypass the permissions of the caller's harness.
 */
public record AllowedAgents(RoostService service, Optional<List<String>> configured) {

    private static final Map<String, String> AGENT_OF_HARNESS =
            Map.of("claude-code", "claude", "opencode", "opencode", "codex", "codex", "gemini", "gemini");

    String choose(RequestFields requestFields, CallerLimits limits, Path cwd) {
        var known = service.agents(cwd).names();
        var agent = requestFields
                .text("agent")
                .or(() -> requestFields.text("agent_if_known").filter(known::contains))
                .orElseGet(() -> defaultAgent(limits, cwd));
        if (may(agent, limits)) return agent;
        throw ErrorCode.AGENT_NOT_ALLOWED.error(
                "The agent \"%s\" may not be started by a model here.".formatted(TextFormat.printable(agent)),
                "It may start: %s. [tools] agents in config.toml sets them."
                        .formatted(String.join(
                                ", ",
                                known.stream().filter(name -> may(name, limits)).toList())));
    }

    /** The first agent that the caller may start: the configured default, its harness's, its token's, an installed one. */
    private String defaultAgent(CallerLimits limits, Path cwd) {
        var wanted = service.agents(cwd).wanted();
        return Stream.<Supplier<Stream<String>>>of(
                        wanted::stream,
                        () -> Stream.ofNullable(AGENT_OF_HARNESS.get(limits.harness())),
                        () -> limits.terms().agents().stream().flatMap(List::stream),
                        () -> installed(limits, cwd))
                .flatMap(Supplier::get)
                .filter(name -> may(name, limits))
                .findFirst()
                .orElse(wanted.orElse("claude"));
    }

    private Stream<String> installed(CallerLimits limits, Path cwd) {
        return service.agents(cwd).survey(limits.environment()).stream()
                .filter(agent -> agent.program().isPresent())
                .map(agent -> agent.profile().name());
    }

    /** Whether this caller may start the agent. */
    public boolean may(String agent, CallerLimits limits) {
        var ofToken = limits.terms().agents();
        if (!ofToken.map(list -> list.contains(agent)).orElse(true)) return false;
        return configured.map(list -> list.contains(agent)).orElse(!agent.equals("command") || ofToken.isPresent());
    }
}
