package dev.roost.engine;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Driver;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.Project;
import dev.roost.config.ProjectLookup;
import dev.roost.model.Budget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The agents known in a directory: those of the project, those of the configuration, and one for each driver. */
public final class AgentCatalog {

    private final Path directory;
    private final EngineConfig config;
    private final Project project;

    private AgentCatalog(Path directory, EngineConfig config, Project project) {
        this.directory = directory;
        this.config = config;
        this.project = project;
    }

    public static AgentCatalog in(Path directory, EngineConfig config, ProjectLookup projectLookup) {
        return new AgentCatalog(directory, config, projectLookup.at(directory));
    }

    /** The settings of the project that the directory is in. */
    public Project project() {
        return project;
    }

    /** The agent of a request that names none. */
    public String usual() {
        return wanted().orElse("command");
    }

    /** The default agent of the project, or else of the configuration. */
    public Optional<String> wanted() {
        return project.defaultAgent().or(config::defaultAgent);
    }

    /** Looks up the program of each agent in {@code environment} and asks it for its version. */
    public List<AgentAvailability> survey(Map<String, String> environment) {
        return new AgentProbe(this, directory, environment).probe();
    }

    /** The agent of this name with the limits of the project. */
    public EngineConfig.NamedAgent named(String name) {
        return project.tightened(Optional.ofNullable(project.agents().get(name))
                .or(() -> Optional.ofNullable(config.agents().get(name)))
                .or(() -> Drivers.find(name)
                        .map(driver -> new EngineConfig.NamedAgent(
                                AgentProfile.plain(name), Budget.ofOutput(config.maxOutput()))))
                .orElseThrow(() -> unknown(name)));
    }

    private RoostError unknown(String name) {
        var untrustedFile =
                project.untrusted().filter(file -> file.agents().contains(name)).map(Project.UntrustedSettings::file);
        if (untrustedFile.isPresent()) {
            return ErrorCode.UNTRUSTED_PROJECT.error("The agent \"%s\" is defined only in %s, which is not trusted."
                    .formatted(
                            TextFormat.printable(name),
                            TextFormat.printable(untrustedFile.get().toString())));
        }
        return ErrorCode.UNKNOWN_AGENT.error(
                "There is no agent \"%s\".".formatted(TextFormat.printable(name)),
                "Known agents: %s.".formatted(String.join(", ", names())));
    }

    public List<String> names() {
        var names = new LinkedHashSet<>(Drivers.all().stream().map(Driver::name).toList());
        names.addAll(config.agents().keySet());
        names.addAll(project.agents().keySet());
        return new ArrayList<>(names);
    }

    AgentAvailability.Source source(String name) {
        if (project.agents().containsKey(name)) return AgentAvailability.Source.PROJECT;
        return config.agents().containsKey(name) ? AgentAvailability.Source.CONFIG : AgentAvailability.Source.BUILT_IN;
    }
}
