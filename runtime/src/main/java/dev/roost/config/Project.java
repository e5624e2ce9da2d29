package dev.roost.config;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.base.TextFormat;
import dev.roost.model.Budget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of the project that a run works in. {@code caps} and {@code permissions} limit every run there. The project's own
 * agents and worktree setup count only if a person trusts the file that defines them. {@code remarks} list ignored settings.
 */
public record Project(
        Map<String, EngineConfig.NamedAgent> agents,
        Optional<String> defaultAgent,
        Budget caps,
        Permissions permissions,
        Optional<WorktreePolicy.SetupPolicy> setupPolicy,
        Optional<UntrustedSettings> untrusted,
        List<String> remarks) {

    public static final Project NONE = new Project(
            Map.of(),
            Optional.empty(),
            Budget.ofOutput(Long.MAX_VALUE),
            Permissions.ALL,
            Optional.empty(),
            Optional.empty(),
            List.of());

    /** The settings of an untrusted file, which are ignored. {@code making}: whether it has a worktree setup. */
    public record UntrustedSettings(Path file, Set<String> agents, Optional<String> defaultAgent, boolean making) {

        /** The remark that the worktree setup of this file is ignored. */
        public String withoutMaking() {
            return "%s is not trusted, so a fresh worktree gets none of what it says; `roost trust` shows it."
                    .formatted(TextFormat.printable(file.toString()));
        }
    }

    /** The agent with its permissions limited to those of the project. */
    public EngineConfig.NamedAgent tightened(EngineConfig.NamedAgent agent) {
        var profile = agent.profile();
        if (profile.permissions().compareTo(permissions) <= 0) return agent;
        var lower = new AgentProfile(
                profile.name(),
                profile.driver(),
                profile.command(),
                profile.model(),
                profile.args(),
                permissions,
                profile.systemPrompt(),
                profile.environment());
        return new EngineConfig.NamedAgent(lower, agent.budget(), agent.requiredTags());
    }

    /** Notes for the caller that starts a run here; {@code asked} is the agent that the request names, if any. */
    public List<String> notes(Optional<String> asked) {
        var notes = new ArrayList<>(remarks);
        untrusted
                .filter(file -> asked.map(file.agents()::contains)
                        .orElse(file.defaultAgent().isPresent()))
                .ifPresent(file -> notes.add("%s is not trusted, so its agents are ignored; `roost trust` shows it."
                        .formatted(TextFormat.printable(file.file().toString()))));
        return notes;
    }
}
