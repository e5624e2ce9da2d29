package dev.roost.daemon.config;

import dev.roost.agents.Drivers;
import dev.roost.agents.Permissions;
import dev.roost.agents.Profile;
import dev.roost.house.Config;
import dev.roost.house.WorkPolicy;
import dev.roost.run.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a {@code .roost.toml} asks for, held to what the user's own file allows. {@code loosens} says where it asked for
 * more; the agents have the user's limits there.
 */
record ProjectSettings(
        Map<String, Config.NamedAgent> agents,
        Optional<String> defaultAgent,
        Budget caps,
        Permissions permissions,
        Optional<WorkPolicy.Making> making,
        List<String> loosens) {

    private static final Set<String> KNOWN = known();

    private static Set<String> known() {
        var known = new TreeSet<>(Keys.names(Keys.project()));
        known.addAll(Keys.PROJECT_TABLES);
        return known;
    }

    static ProjectSettings of(ProjectFile file, Config config) {
        var settings = Settings.parse(file.source(), file.text()).only(KNOWN);
        var loosens = new ArrayList<String>();
        var agents = new TreeMap<String, Config.NamedAgent>();
        AgentTables.read(settings).forEach((name, agent) -> agents.put(name, held(name, agent, config, loosens)));
        var defaultAgent = settings.text("default_agent");
        if (defaultAgent
                .filter(name -> !agents.containsKey(name)
                        && !config.agents().containsKey(name)
                        && Drivers.find(name).isEmpty())
                .isPresent()) throw settings.wrong("default_agent", "the name of an agent or a driver");
        return new ProjectSettings(
                agents,
                defaultAgent,
                AgentTables.caps(settings),
                AgentTables.permissions(settings).orElse(Permissions.ALL),
                WorkSettings.making(settings),
                List.copyOf(loosens));
    }

    private static Config.NamedAgent held(String name, Config.NamedAgent agent, Config config, List<String> loosens) {
        var profile = agent.profile();
        var most = mostPermissions(name, profile.driver(), config);
        if (profile.permissions().compareTo(most) > 0) {
            loosens.add("agents.%s.permissions = \"%s\" is more than your own config.toml gives (%s)"
                    .formatted(name, profile.permissions().word(), most.word()));
            profile = new Profile(
                    profile.name(),
                    profile.driver(),
                    profile.command(),
                    profile.model(),
                    profile.args(),
                    most,
                    profile.systemPrompt(),
                    profile.environment());
        }
        var own = config.agents().get(name);
        if (own == null) return new Config.NamedAgent(profile, agent.budget(), agent.on());
        var budget = agent.budget().atMost(own.budget());
        if (!agent.budget().orElse(budget).equals(budget))
            loosens.add("agents.%s has a higher cap than your own agent of that name".formatted(name));
        var on = new TreeSet<>(agent.on());
        on.addAll(own.on());
        return new Config.NamedAgent(profile, budget, on);
    }

    /** What the user gives the agent of that name, else the most that any agent of that driver has. */
    private static Permissions mostPermissions(String name, String driver, Config config) {
        var own = config.agents().get(name);
        if (own != null) return own.profile().permissions();
        return config.agents().values().stream()
                .map(Config.NamedAgent::profile)
                .filter(profile -> profile.driver().equals(driver))
                .map(Profile::permissions)
                .max(Permissions::compareTo)
                .orElse(Permissions.SAFE);
    }
}
