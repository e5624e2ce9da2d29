package dev.roost.config;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Prices;
import dev.roost.base.FaultPoints;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The operator's settings of the engine. {@code maxDepth} 1: a run cannot start runs of its own. {@code maxAttempts} counts
 * all attempts of a run that is lost. {@code channels} are the names of the delivery channels for notices.
 */
public record EngineConfig(
        Caps caps,
        int maxDepth,
        long maxOutput,
        Map<String, NamedAgent> agents,
        Optional<String> defaultAgent,
        QuestionPolicy questionPolicy,
        Duration quietAfter,
        Optional<Duration> maxQuiet,
        DailyBudget dailyBudget,
        int maxAttempts,
        Prices prices,
        WakePolicy wakePolicy,
        Set<String> channels,
        PausePolicy pausePolicy,
        WorktreePolicy worktreePolicy,
        FaultPoints faults) {

    public EngineConfig(Caps caps, int maxDepth, long maxOutput) {
        this(
                caps,
                maxDepth,
                maxOutput,
                Map.of(),
                Optional.empty(),
                new QuestionPolicy(false, Optional.of(Duration.ofHours(1))),
                Duration.ofMinutes(10),
                Optional.empty(),
                DailyBudget.NONE,
                3,
                Prices.NONE,
                WakePolicy.DEFAULT,
                Set.of(),
                PausePolicy.NONE,
                WorktreePolicy.DEFAULT,
                FaultPoints.NONE);
    }

    /** A copy with these agents in addition to the drivers. */
    public EngineConfig with(Map<String, NamedAgent> agents) {
        return modified(draft -> draft.agents = agents);
    }

    /** A copy with this default agent. */
    public EngineConfig withDefaultAgent(Optional<String> agent) {
        return modified(draft -> draft.defaultAgent = agent);
    }

    public EngineConfig with(QuestionPolicy policy) {
        return modified(draft -> draft.questionPolicy = policy);
    }

    /** A copy in which a run without activity becomes quiet {@code after} this time and is stopped after {@code most}. */
    public EngineConfig withQuiet(Duration after, Optional<Duration> most) {
        return modified(draft -> {
            draft.quietAfter = after;
            draft.maxQuiet = most;
        });
    }

    public EngineConfig with(DailyBudget budget) {
        return modified(draft -> draft.dailyBudget = budget);
    }

    public EngineConfig withMaxAttempts(int most) {
        return modified(draft -> draft.maxAttempts = most);
    }

    public EngineConfig with(Prices prices) {
        return modified(draft -> draft.prices = prices);
    }

    public EngineConfig with(WakePolicy policy) {
        return modified(draft -> draft.wakePolicy = policy);
    }

    /** A copy that delivers notices by these channels. */
    public EngineConfig with(Set<String> channels) {
        return modified(draft -> draft.channels = channels);
    }

    public EngineConfig with(PausePolicy policy) {
        return modified(draft -> draft.pausePolicy = policy);
    }

    public EngineConfig with(WorktreePolicy policy) {
        return modified(draft -> draft.worktreePolicy = policy);
    }

    public EngineConfig with(FaultPoints faults) {
        return modified(draft -> draft.faults = faults);
    }

    private EngineConfig modified(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.config();
    }

    /** A named agent, the default budget of its runs, and the tags that a node must have to run it. */
    public record NamedAgent(AgentProfile profile, Budget budget, Set<String> requiredTags) {

        public NamedAgent(AgentProfile profile, Budget budget) {
            this(profile, budget, Set.of());
        }
    }

    /**
     * How an agent's questions are answered. {@code parentMayApprove}: whether the parent session may grant permission, or only
     * deny it. {@code timeout}: when Roost answers automatically with no.
     */
    public record QuestionPolicy(boolean parentMayApprove, Optional<Duration> timeout) {}

    public static final EngineConfig DEFAULT = new EngineConfig(Caps.DEFAULT, 1, Budget.DEFAULT_MAX_OUTPUT);

    /** A mutable copy. */
    private static final class Draft {
        private final EngineConfig defaults;
        private Map<String, NamedAgent> agents;
        private Optional<String> defaultAgent;
        private QuestionPolicy questionPolicy;
        private Duration quietAfter;
        private Optional<Duration> maxQuiet;
        private DailyBudget dailyBudget;
        private int maxAttempts;
        private Prices prices;
        private WakePolicy wakePolicy;
        private Set<String> channels;
        private PausePolicy pausePolicy;
        private WorktreePolicy worktreePolicy;
        private FaultPoints faults;

        Draft(EngineConfig config) {
            defaults = config;
            agents = config.agents;
            defaultAgent = config.defaultAgent;
            questionPolicy = config.questionPolicy;
            quietAfter = config.quietAfter;
            maxQuiet = config.maxQuiet;
            dailyBudget = config.dailyBudget;
            maxAttempts = config.maxAttempts;
            prices = config.prices;
            wakePolicy = config.wakePolicy;
            channels = config.channels;
            pausePolicy = config.pausePolicy;
            worktreePolicy = config.worktreePolicy;
            faults = config.faults;
        }

        EngineConfig config() {
            return new EngineConfig(
                    defaults.caps,
                    defaults.maxDepth,
                    defaults.maxOutput,
                    agents,
                    defaultAgent,
                    questionPolicy,
                    quietAfter,
                    maxQuiet,
                    dailyBudget,
                    maxAttempts,
                    prices,
                    wakePolicy,
                    channels,
                    pausePolicy,
                    worktreePolicy,
                    faults);
        }
    }
}
