package dev.roost.engine;

import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Lists the agents whose programs are installed on this machine. */
public final class InstalledAgents {

    private static final Path ROOT = Path.of("/");

    private InstalledAgents() {}

    /** Their names, by the {@code PATH} of {@code environment} and the agents of the configuration. */
    public static Set<String> of(EngineConfig config, Map<String, String> environment) {
        var agents = AgentCatalog.in(ROOT, config, ProjectLookup.NONE);
        return new TreeSet<>(new AgentProbe(agents, ROOT, environment).installed());
    }
}
