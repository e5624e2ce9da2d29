package dev.roost.attempt;

import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Cause;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** Checks whether an attempt and the earlier attempts of its turn exceed attempt of its caps. */
final class BudgetMonitor {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptDirectory directory;
    private final ActiveTime time;
    private final AgentConversation conversation;
    private final QuietMonitor quietMonitor;
    private final EarlierUsage earlier;

    /** The usage and output of the earlier attempts of the same turn, which do not change any more. */
    record EarlierUsage(AttemptProgress progress, long written) {

        static EarlierUsage of(RuntimeContext context, RunRecord run) throws IOException {
            var latest = run.latest();
            var progress = AttemptProgress.of(StreamPosition.START);
            long written = 0;
            if (latest.n() == 1) return new EarlierUsage(progress, written);
            for (var attempt : context.ledger().runs().attempts(run.id())) {
                if (attempt.n() >= latest.n() || attempt.turn() != latest.turn()) continue;
                progress = progress.plus(attempt.progress());
                written += BudgetMonitor.written(context.home().run(run.id()).attempt(attempt.n()));
            }
            return new EarlierUsage(progress, written);
        }
    }

    BudgetMonitor(
            RuntimeContext context,
            RunRecord run,
            AttemptDirectory directory,
            EarlierUsage earlier,
            ActiveTime time,
            AgentConversation conversation,
            QuietMonitor quietMonitor) {
        this.context = context;
        this.run = run;
        this.directory = directory;
        this.time = time;
        this.conversation = conversation;
        this.quietMonitor = quietMonitor;
        this.earlier = earlier;
    }

    Optional<Cause> exceeded() throws IOException {
        if (earlier.written() + written(directory) > run.budget().maxOutput()) return Optional.of(Cause.BUDGET_OUTPUT);
        if (timeLeft().filter(left -> !left.isPositive()).isPresent()) return Optional.of(Cause.BUDGET_TIME);
        var mostQuiet = context.config().maxQuiet();
        if (mostQuiet.isPresent()
                && quietMonitor.isQuiet()
                && quietMonitor.length().compareTo(mostQuiet.get()) >= 0) return Optional.of(Cause.BUDGET_QUIET);
        return run.budget()
                .exceededBy(earlier.progress().usage().plus(conversation.usage()))
                .or(() -> context.config().dailyBudget().exceededBy(run.owner(), context.ledger()));
    }

    /** The time until the time cap; empty if there is none. */
    Optional<Duration> timeLeft() {
        return run.budget()
                .maxTime()
                .map(most -> most.minus(earlier.progress().active()).minus(time.active()));
    }

    /** When the next time-based cap is reached. */
    OptionalLong due() {
        long now = context.clock().monotonicNanos();
        var due = LongStream.concat(
                timeLeft().stream().mapToLong(left -> now + left.toNanos()),
                context.config().maxQuiet().stream()
                        .filter(_ -> quietMonitor.isQuiet())
                        .mapToLong(quietMonitor::quietFor));
        return due.min();
    }

    private static long written(AttemptDirectory directory) throws IOException {
        return PrivateFiles.size(directory.out()) + PrivateFiles.size(directory.err());
    }
}
