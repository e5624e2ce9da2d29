package dev.roost.daemon.mcp;

import dev.roost.base.Refusal;
import dev.roost.base.TextFormat;
import dev.roost.engine.AgentAvailability;
import dev.roost.service.RoostService;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The agents that a model may start: those that the configuration names, else all but {@code command}, which would bypass the
 * permissions of the model's harness.
 */
public record AllowedAgents(RoostService service, Optional<List<String>> configured) {

    private static final Map<String, String> AGENT_OF_HARNESS =
            Map.of("claude-code", "claude", "opencode", "opencode", "codex", "codex", "gemini", "gemini");

    String choose(Optional<String> wanted, Optional<String> preferred, ToolClient client, Path cwd) {
        var agent = wanted.or(() -> preferred.filter(name -> isKnown(name, cwd)))
                .orElseGet(() -> defaultAgent(client, cwd));
        if (may(agent, client)) return agent;
        throw new Refusal(
                "agent_not_allowed",
                "The agent \"%s\" may not be started by a model here.".formatted(TextFormat.printable(agent)),
                "It may start: %s. [tools] agents in config.toml sets them.".formatted(allowed(client, cwd)));
    }

    private boolean isKnown(String name, Path cwd) {
        return service.agents(cwd).names().contains(name);
    }

    /** The first agent that the client may start: the configured default, its harness's, its token's, an installed one. */
    private String defaultAgent(ToolClient client, Path cwd) {
        var wanted = service.agents(cwd).wanted();
        return Stream.<Supplier<Stream<String>>>of(
                        wanted::stream,
                        () -> Stream.ofNullable(AGENT_OF_HARNESS.get(client.harness())),
                        () -> client.limits().agents().stream().flatMap(List::stream),
                        () -> installed(client, cwd))
                .flatMap(Supplier::get)
                .filter(name -> may(name, client))
                .findFirst()
                .orElse(wanted.orElse("claude"));
    }

    private Stream<String> installed(ToolClient client, Path cwd) {
        return service.agents(cwd).survey(client.environment()).stream()
                .filter(agent -> agent.program().isPresent())
                .map(AgentAvailability::profile)
                .map(profile -> profile.name());
    }

    /** Whether this client may start the agent. */
    public boolean may(String agent, ToolClient client) {
        if (!client.limits().agents().map(list -> list.contains(agent)).orElse(true)) return false;
        return configured
                .map(list -> list.contains(agent))
                .orElse(!agent.equals("command") || client.limits().agents().isPresent());
    }

    private String allowed(ToolClient client, Path cwd) {
        return String.join(
                ", ",
                service.agents(cwd).names().stream()
                        .filter(name -> may(name, client))
                        .toList());
    }
}
