package dev.roost;

import dev.roost.agents.Driver;
import dev.roost.agents.Drivers;
import dev.roost.agents.Profile;
import dev.roost.run.BadInput;
import dev.roost.run.Budget;
import dev.roost.run.Words;
import java.util.ArrayList;
import java.util.List;

/** The agents there are: those the operator named, and every driver as one of its own name. */
final class Agents {

    private Agents() {}

    static Config.NamedAgent of(Config config, String name) {
        var named = config.agents().get(name);
        if (named != null) return named;
        return Drivers.find(name)
                .map(driver -> new Config.NamedAgent(Profile.plain(name), Budget.ofOutput(config.maxOutput())))
                .orElseThrow(() -> new BadInput(
                        "unknown_agent",
                        "There is no agent \"%s\".".formatted(Words.printable(name)),
                        "Known agents: %s.".formatted(String.join(", ", names(config)))));
    }

    static List<String> names(Config config) {
        var names = new ArrayList<>(Drivers.all().stream().map(Driver::name).toList());
        config.agents().keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
        return names;
    }
}
