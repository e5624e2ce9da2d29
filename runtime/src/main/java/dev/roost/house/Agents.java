package dev.roost.house;

import dev.roost.agents.Driver;
import dev.roost.agents.Drivers;
import dev.roost.agents.Profile;
import dev.roost.run.BadInput;
import dev.roost.run.Budget;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import dev.roost.run.Words;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/** The agents there are: those of the project, those the operator named, and every driver as one of its own name. */
final class Agents {

    private Agents() {}

    /** The agent of this name as it may be in this project. */
    static Config.NamedAgent of(Config config, Project project, String name) {
        return project.tightened(Optional.ofNullable(project.agents().get(name))
                .or(() -> Optional.ofNullable(config.agents().get(name)))
                .or(() -> Drivers.find(name)
                        .map(driver -> new Config.NamedAgent(Profile.plain(name), Budget.ofOutput(config.maxOutput()))))
                .orElseThrow(() -> unknown(config, project, name)));
    }

    private static RoostError unknown(Config config, Project project, String name) {
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
                "Known agents: %s.".formatted(String.join(", ", names(config, project))));
    }

    static List<String> names(Config config, Project project) {
        var names = new LinkedHashSet<>(Drivers.all().stream().map(Driver::name).toList());
        names.addAll(config.agents().keySet());
        names.addAll(project.agents().keySet());
        return new ArrayList<>(names);
    }
}
