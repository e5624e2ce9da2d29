package dev.roost.house;

import dev.roost.agents.Prices;
import dev.roost.agents.Profile;
import dev.roost.pauses.PausePolicy;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Faults;
import dev.roost.sessions.WakePolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What the operator may set. {@code maxDepth} 1: what runs inside a run starts none of its own. {@code maxAttempts} is how
 * often a run that was lost is begun in all. {@code channels} are the names of those by which notices also go out.
 */
public record Config(
        Caps caps,
        int maxDepth,
        long maxOutput,
        Map<String, NamedAgent> agents,
        Optional<String> defaultAgent,
        Asking asking,
        Duration quietAfter,
        Optional<Duration> maxQuiet,
        DayBudget day,
        int maxAttempts,
        Prices prices,
        WakePolicy waking,
        Set<String> channels,
        PausePolicy pausing,
        WorkPolicy working,
        Faults faults) {

    public Config(Caps caps, int maxDepth, long maxOutput) {
        this(
                caps,
                maxDepth,
                maxOutput,
                Map.of(),
                Optional.empty(),
                new Asking(false, Optional.of(Duration.ofHours(1))),
                Duration.ofMinutes(10),
                Optional.empty(),
                DayBudget.NONE,
                3,
                Prices.NONE,
                WakePolicy.DEFAULT,
                Set.of(),
                PausePolicy.NONE,
                WorkPolicy.DEFAULT,
                Faults.NONE);
    }

    /** The same, with these agents besides the drivers. */
    public Config with(Map<String, NamedAgent> agents) {
        return but(draft -> draft.agents = agents);
    }

    /** The same, with that agent where nobody names one. */
    public Config withDefaultAgent(Optional<String> agent) {
        return but(draft -> draft.defaultAgent = agent);
    }

    public Config with(Asking asking) {
        return but(draft -> draft.asking = asking);
    }

    /** The same; one that nothing is heard of is called quiet {@code after} that long, and stopped after {@code most}. */
    public Config withQuiet(Duration after, Optional<Duration> most) {
        return but(draft -> {
            draft.quietAfter = after;
            draft.maxQuiet = most;
        });
    }

    public Config with(DayBudget day) {
        return but(draft -> draft.day = day);
    }

    public Config withMaxAttempts(int most) {
        return but(draft -> draft.maxAttempts = most);
    }

    public Config with(Prices prices) {
        return but(draft -> draft.prices = prices);
    }

    public Config with(WakePolicy policy) {
        return but(draft -> draft.waking = policy);
    }

    /** The same, with notices going out by these channels. */
    public Config with(Set<String> channels) {
        return but(draft -> draft.channels = channels);
    }

    public Config with(PausePolicy policy) {
        return but(draft -> draft.pausing = policy);
    }

    public Config with(WorkPolicy policy) {
        return but(draft -> draft.working = policy);
    }

    public Config with(Faults faults) {
        return but(draft -> draft.faults = faults);
    }

    private Config but(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.config();
    }

    /** A named agent, and what its runs may use unless they say otherwise. */
    public record NamedAgent(Profile profile, Budget budget, Set<String> on) {

        public NamedAgent(Profile profile, Budget budget) {
            this(profile, budget, Set.of());
        }
    }

    /**
     * What becomes of an agent's questions: whether the parent session may allow what the agent asks for, or only deny it;
     * and after how long the answer is no.
     */
    public record Asking(boolean parentMayApprove, Optional<Duration> timeout) {}

    public static final Config DEFAULT = new Config(Caps.DEFAULT, 1, Budget.DEFAULT_MAX_OUTPUT);

    /** One that can be changed. */
    private static final class Draft {
        private final Config usual;
        private Map<String, NamedAgent> agents;
        private Optional<String> defaultAgent;
        private Asking asking;
        private Duration quietAfter;
        private Optional<Duration> maxQuiet;
        private DayBudget day;
        private int maxAttempts;
        private Prices prices;
        private WakePolicy waking;
        private Set<String> channels;
        private PausePolicy pausing;
        private WorkPolicy working;
        private Faults faults;

        Draft(Config config) {
            usual = config;
            agents = config.agents;
            defaultAgent = config.defaultAgent;
            asking = config.asking;
            quietAfter = config.quietAfter;
            maxQuiet = config.maxQuiet;
            day = config.day;
            maxAttempts = config.maxAttempts;
            prices = config.prices;
            waking = config.waking;
            channels = config.channels;
            pausing = config.pausing;
            working = config.working;
            faults = config.faults;
        }

        Config config() {
            return new Config(
                    usual.caps,
                    usual.maxDepth,
                    usual.maxOutput,
                    agents,
                    defaultAgent,
                    asking,
                    quietAfter,
                    maxQuiet,
                    day,
                    maxAttempts,
                    prices,
                    waking,
                    channels,
                    pausing,
                    working,
                    faults);
        }
    }
}
