package dev.roost.house;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The agents whose programs are on this machine. */
public final class InstalledAgents {

    private InstalledAgents() {}

    /** Their names, by the {@code PATH} of {@code environment} and what the operator has named. */
    public static Set<String> of(Config config, Map<String, String> environment) {
        var survey = new AgentSurvey(config, Projects.NONE.at(Path.of("/")), Path.of("/"), environment);
        return new TreeSet<>(survey.installed());
    }
}
