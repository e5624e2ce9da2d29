package dev.roost.house;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The agents whose programs are on this machine. */
public final class InstalledAgents {

    private static final Path ROOT = Path.of("/");

    private InstalledAgents() {}

    /** Their names, by the {@code PATH} of {@code environment} and what the operator has named. */
    public static Set<String> of(Config config, Map<String, String> environment) {
        var agents = Agents.in(ROOT, config, Projects.NONE);
        return new TreeSet<>(new AgentSurvey(agents, ROOT, environment).installed());
    }
}
