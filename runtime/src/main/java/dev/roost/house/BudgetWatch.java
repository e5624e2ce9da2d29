package dev.roost.house;

import dev.roost.ledger.Position;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** Whether an attempt, with those of the same turn before it, has used up one of its caps. */
final class BudgetWatch {

    private final Rooms rooms;
    private final Run run;
    private final AttemptDirectory directory;
    private final ActiveTime time;
    private final Talk talk;
    private final Quietness quietness;
    private final Earlier earlier;

    /** What the attempts of the same turn before it used and wrote, which does not change any more. */
    record Earlier(Progress progress, long written) {

        static Earlier of(Rooms rooms, Run run) throws IOException {
            var latest = run.latest();
            var progress = Progress.of(Position.START);
            long written = 0;
            if (latest.n() == 1) return new Earlier(progress, written);
            for (var one : rooms.ledger().runs().attempts(run.id())) {
                if (one.n() >= latest.n() || one.turn() != latest.turn()) continue;
                progress = progress.plus(one.progress());
                written += BudgetWatch.written(rooms.home().run(run.id()).attempt(one.n()));
            }
            return new Earlier(progress, written);
        }
    }

    BudgetWatch(
            Rooms rooms,
            Run run,
            AttemptDirectory directory,
            Earlier earlier,
            ActiveTime time,
            Talk talk,
            Quietness quietness) {
        this.rooms = rooms;
        this.run = run;
        this.directory = directory;
        this.time = time;
        this.talk = talk;
        this.quietness = quietness;
        this.earlier = earlier;
    }

    Optional<Cause> exceeded() throws IOException {
        if (earlier.written() + written(directory) > run.budget().maxOutput()) return Optional.of(Cause.BUDGET_OUTPUT);
        if (timeLeft().filter(left -> !left.isPositive()).isPresent()) return Optional.of(Cause.BUDGET_TIME);
        var mostQuiet = rooms.config().maxQuiet();
        if (mostQuiet.isPresent() && quietness.isQuiet() && quietness.length().compareTo(mostQuiet.get()) >= 0)
            return Optional.of(Cause.BUDGET_QUIET);
        return run.budget()
                .exceededBy(earlier.progress().usage().plus(talk.usage()))
                .or(() -> rooms.config().day().exceededBy(run.owner(), rooms.ledger()));
    }

    /** Empty where there is no cap on its time. */
    Optional<Duration> timeLeft() {
        return run.budget()
                .maxTime()
                .map(most -> most.minus(earlier.progress().active()).minus(time.active()));
    }

    /** When a cap is reached that nothing but time reaches; of one that waits for an answer, none is. */
    OptionalLong due() {
        long now = rooms.clock().monotonicNanos();
        var due = LongStream.concat(
                timeLeft().stream().mapToLong(left -> now + left.toNanos()),
                rooms.config().maxQuiet().stream()
                        .filter(_ -> quietness.isQuiet())
                        .mapToLong(quietness::quietFor));
        return due.min();
    }

    private static long written(AttemptDirectory directory) throws IOException {
        return PrivateFiles.size(directory.out()) + PrivateFiles.size(directory.err());
    }
}
