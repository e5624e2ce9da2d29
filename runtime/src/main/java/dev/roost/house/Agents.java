package dev.roost.house;

import dev.roost.agents.Driver;
import dev.roost.agents.Drivers;
import dev.roost.agents.Profile;
import dev.roost.run.BadInput;
import dev.roost.run.Budget;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import dev.roost.run.Words;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The agents there are: those of the project, those the operator named, and every driver as one of its own name. */
public final class Agents {

    private final Path directory;
    private final Config config;
    private final Project project;

    private Agents(Path directory, Config config, Project project) {
        this.directory = directory;
        this.config = config;
        this.project = project;
    }

    static Agents in(Path directory, Config config, Projects projects) {
        return new Agents(directory, config, projects.at(directory));
    }

    /** What the project there has to say. */
    public Project project() {
        return project;
    }

    /** Which works there if nobody names one. */
    public String usual() {
        return wanted().orElse("command");
    }

    /** Which the project or the operator wants if nobody names one. */
    public Optional<String> wanted() {
        return project.defaultAgent().or(config::defaultAgent);
    }

    /** With their programs looked up, and asked for their versions, in {@code environment}. */
    public List<KnownAgent> survey(Map<String, String> environment) {
        return new AgentSurvey(this, directory, environment).take();
    }

    /** The agent of this name as it may be there. */
    public Config.NamedAgent named(String name) {
        return project.tightened(Optional.ofNullable(project.agents().get(name))
                .or(() -> Optional.ofNullable(config.agents().get(name)))
                .or(() -> Drivers.find(name)
                        .map(driver -> new Config.NamedAgent(Profile.plain(name), Budget.ofOutput(config.maxOutput()))))
                .orElseThrow(() -> unknown(name)));
    }

    private RoostError unknown(String name) {
        var untrusted =
                project.untrusted().filter(file -> file.agents().contains(name)).map(Project.Untrusted::file);
        if (untrusted.isPresent()) {
            return new Refused(
                    "untrusted_project",
                    "The agent \"%s\" is defined only in %s, which nobody has trusted."
                            .formatted(
                                    Words.printable(name),
                                    Words.printable(untrusted.get().toString())),
                    "Look at that file and run `roost trust` in a plain shell.");
        }
        return new BadInput(
                "unknown_agent",
                "There is no agent \"%s\".".formatted(Words.printable(name)),
                "Known agents: %s.".formatted(String.join(", ", names())));
    }

    public List<String> names() {
        var names = new LinkedHashSet<>(Drivers.all().stream().map(Driver::name).toList());
        names.addAll(config.agents().keySet());
        names.addAll(project.agents().keySet());
        return new ArrayList<>(names);
    }

    KnownAgent.Source source(String name) {
        if (project.agents().containsKey(name)) return KnownAgent.Source.PROJECT;
        return config.agents().containsKey(name) ? KnownAgent.Source.CONFIG : KnownAgent.Source.BUILT_IN;
    }
}
