package dev.roost;

import dev.roost.agent.JavaAgent;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import java.util.HashMap;
import java.util.Map;

/** Settings of an open home. Each method returns a new object. */
public final class Settings {

    /** The owner {@code java:<user>}, 5 live runs for each owner and 20 in total, and the built-in agents. */
    public static final Settings DEFAULT =
            new Settings("java:" + System.getProperty("user.name", "me"), Caps.DEFAULT, Map.of());

    private final String owner;
    private final Caps caps;
    private final Map<String, Agent> agents;

    private Settings(String owner, Caps caps, Map<String, Agent> agents) {
        this.owner = new Owner(owner).id();
        this.caps = caps;
        this.agents = Map.copyOf(agents);
    }

    /** The owner for which {@link Roost} acts, unless {@link Roost#as} names another; it is written {@code harness:id}. */
    public Settings withOwner(String owner) {
        return new Settings(owner, caps, agents);
    }

    /** How many runs may be live at once: for each owner, and in total. Further runs are queued. */
    public Settings withMaxLive(int ofEachOwner, int inAll) {
        return new Settings(owner, new Caps(ofEachOwner, inAll, Caps.Overflow.QUEUE), agents);
    }

    /** Adds an agent under a new name, or replaces a built-in agent. */
    public Settings withAgent(String name, Agent agent) {
        TextFormat.name(name);
        if (name.equals("command")) {
            throw ErrorCode.BAD_AGENT_NAME.error("The agent name \"command\" is reserved.");
        }
        var added = new HashMap<>(agents);
        added.put(name, agent);
        return new Settings(owner, caps, added);
    }

    /** Adds a class of this program as an agent. */
    public Settings withAgent(String name, Class<? extends JavaAgent> agent) {
        return withAgent(name, Agent.of(agent));
    }

    String owner() {
        return owner;
    }

    EngineConfig config() {
        var named = new HashMap<String, EngineConfig.NamedAgent>();
        agents.forEach((name, agent) -> named.put(
                name, new EngineConfig.NamedAgent(agent.profile(name), Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT))));
        return new EngineConfig(caps, 1, Budget.DEFAULT_MAX_OUTPUT).with(named);
    }
}
