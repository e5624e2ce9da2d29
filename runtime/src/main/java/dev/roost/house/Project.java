package dev.roost.house;

import dev.roost.agents.Permissions;
import dev.roost.agents.Profile;
import dev.roost.run.Budget;
import dev.roost.run.Words;
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
        Map<String, Config.NamedAgent> agents,
        Optional<String> defaultAgent,
        Budget caps,
        Permissions permissions,
        Optional<WorkPolicy.Making> making,
        Optional<Untrusted> untrusted,
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
    public record Untrusted(Path file, Set<String> agents, Optional<String> defaultAgent, boolean making) {

        /** What becomes of a worktree that it would have given something. */
        String withoutMaking() {
            return "%s is not trusted, so a fresh worktree gets none of what it says; `roost trust` shows it."
                    .formatted(Words.printable(file.toString()));
        }
    }

    /** The agent as it may be here. */
    Config.NamedAgent tightened(Config.NamedAgent agent) {
        var profile = agent.profile();
        if (profile.permissions().compareTo(permissions) <= 0) return agent;
        var lower = new Profile(
                profile.name(),
                profile.driver(),
                profile.command(),
                profile.model(),
                profile.args(),
                permissions,
                profile.systemPrompt(),
                profile.environment());
        return new Config.NamedAgent(lower, agent.budget(), agent.on());
    }

    /** What somebody should know who starts a run here; {@code asked} is the agent they named, if they did. */
    public List<String> notes(Optional<String> asked) {
        var notes = new ArrayList<>(remarks);
        untrusted
                .filter(file -> asked.map(file.agents()::contains)
                        .orElse(file.defaultAgent().isPresent()))
                .ifPresent(file -> notes.add("%s is not trusted, so its agents are ignored; `roost trust` shows it."
                        .formatted(Words.printable(file.file().toString()))));
        return notes;
    }
}
