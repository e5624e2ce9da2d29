package dev.roost.attempt.core;

import dev.roost.agents.Driver;
import dev.roost.model.Budget;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings that decide about one attempt; they do not change while it runs. {@code earlier} is what the earlier attempts of
 * its turn used. The processor time of a plain program itself counts as activity; an agent may burn some while it only waits.
 */
public record AttemptRules(
        Driver driver,
        Budget budget,
        EarlierUsage earlier,
        Duration quietAfter,
        Optional<Duration> maxQuiet,
        Optional<Duration> answerTimeout,
        int maxAttempts,
        boolean resumeOnLoss,
        boolean hasWorktree,
        String node) {

    boolean isPlainProgram() {
        return driver.abilities().plainProgram();
    }
}
