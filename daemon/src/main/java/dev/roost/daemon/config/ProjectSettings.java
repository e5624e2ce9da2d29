package dev.roost.daemon.config;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.driver.Drivers;
import dev.roost.config.EngineConfig;
import dev.roost.config.WorktreePolicy;
import dev.roost.model.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The settings of a {@code .roost.toml}, restricted to the limits of the user's own file. {@code loosens} lists where the
 * project asked for more; there the user's limits apply.
 */
record ProjectSettings(
        Map<String, EngineConfig.NamedAgent> agents,
        Optional<String> defaultAgent,
        Budget caps,
        Permissions permissions,
        Optional<WorktreePolicy.SetupPolicy> setup,
        List<String> loosens) {

    private static final Set<String> KNOWN = known();

    private static Set<String> known() {
        var known = new TreeSet<>(SettingCatalog.names(SettingCatalog.project()));
        known.addAll(SettingCatalog.PROJECT_TABLES);
        return known;
    }

    static ProjectSettings of(ProjectFile file, EngineConfig config) {
        var settings = SettingsTable.parse(file.source(), file.text()).only(KNOWN);
        var loosens = new ArrayList<String>();
        var agents = new TreeMap<String, EngineConfig.NamedAgent>();
        AgentTables.read(settings).forEach((name, agent) -> agents.put(name, limitedBy(name, agent, config, loosens)));
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
                WorktreeSettings.setupPolicy(settings),
                List.copyOf(loosens));
    }

    private static EngineConfig.NamedAgent limitedBy(
            String name, EngineConfig.NamedAgent agent, EngineConfig config, List<String> loosens) {
        var profile = agent.profile();
        var most = mostPermissions(name, profile.driver(), config);
        if (profile.permissions().compareTo(most) > 0) {
            loosens.add("agents.%s.permissions = \"%s\" is more than your own config.toml gives (%s)"
                    .formatted(name, profile.permissions().word(), most.word()));
            profile = new AgentProfile(
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
        if (own == null) return new EngineConfig.NamedAgent(profile, agent.budget(), agent.requiredTags());
        var budget = agent.budget().atMost(own.budget());
        if (!agent.budget().orElse(budget).equals(budget))
            loosens.add("agents.%s has a higher cap than your own agent of that name".formatted(name));
        var on = new TreeSet<>(agent.requiredTags());
        on.addAll(own.requiredTags());
        return new EngineConfig.NamedAgent(profile, budget, on);
    }

    /** The permissions that the user gave the agent of that name, else the most of any agent with that driver. */
    private static Permissions mostPermissions(String name, String driver, EngineConfig config) {
        var own = config.agents().get(name);
        if (own != null) return own.profile().permissions();
        return config.agents().values().stream()
                .map(EngineConfig.NamedAgent::profile)
                .filter(profile -> profile.driver().equals(driver))
                .map(AgentProfile::permissions)
                .max(Permissions::compareTo)
                .orElse(Permissions.SAFE);
    }
}
