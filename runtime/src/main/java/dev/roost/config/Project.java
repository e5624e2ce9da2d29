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
 * What the project that a run works in has to say. {@code caps} and {@code permissions} are the most that any run there
 * gets; agents of its own, and what a fresh worktree is given, count only where a person trusts the file they are in.
 * {@code remarks} say what was left out.
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

    /** What a file would add that nobody has trusted yet. */
    public record UntrustedSettings(Path file, Set<String> agents, Optional<String> defaultAgent, boolean making) {

        /** What becomes of a worktree that it would have given something. */
        public String withoutMaking() {
            return "%s is not trusted, so a fresh worktree gets none of what it says; `roost trust` shows it."
                    .formatted(TextFormat.printable(file.toString()));
        }
    }

    /** The agent as it may be here. */
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

    /** What somebody should know who starts a run here; {@code asked} is the agent they named, if they did. */
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
