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

    public Config(
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
            Prices prices) {
        this(
                caps,
                maxDepth,
                maxOutput,
                agents,
                defaultAgent,
                asking,
                quietAfter,
                maxQuiet,
                day,
                maxAttempts,
                prices,
                WakePolicy.DEFAULT,
                Set.of(),
                PausePolicy.NONE,
                WorkPolicy.DEFAULT,
                Faults.NONE);
    }

    public Config with(WakePolicy policy) {
        return with(policy, channels, pausing, working, faults);
    }

    /** The same, with notices going out by these channels. */
    public Config with(Set<String> channels) {
        return with(waking, channels, pausing, working, faults);
    }

    public Config with(PausePolicy policy) {
        return with(waking, channels, policy, working, faults);
    }

    public Config with(WorkPolicy policy) {
        return with(waking, channels, pausing, policy, faults);
    }

    public Config with(Faults faults) {
        return with(waking, channels, pausing, working, faults);
    }

    private Config with(
            WakePolicy waking, Set<String> channels, PausePolicy pausing, WorkPolicy working, Faults faults) {
        return new Config(
                caps,
                maxDepth,
                maxOutput,
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
                Prices.NONE);
    }

    /** The same, with these agents besides the drivers. */
    public Config with(Map<String, NamedAgent> agents) {
        return new Config(
                caps,
                maxDepth,
                maxOutput,
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

    public static final Config DEFAULT = new Config(Caps.DEFAULT, 1, Budget.DEFAULT_MAX_OUTPUT);
}
