package dev.roost.house;

import dev.roost.agents.Driver;
import dev.roost.agents.LastWord;
import dev.roost.ledger.Began;
import dev.roost.ledger.End;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import dev.roost.run.RunEvent;
import dev.roost.run.Stop;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.PrivateFiles;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Finds out what an attempt's end was, and commits it: with its evidence, its result, and its successor if it has one. */
final class Ending {

    private static final int MOST_PACKINGS = 10;
    private static final Duration FLUSHED_WITHIN = Duration.ofSeconds(2);
    private static final System.Logger LOG = System.getLogger(Ending.class.getName());

    private static final Duration A_NAP = Duration.ofSeconds(1);
    private static final int STDERR_TAIL = 4096;
    private static final int SIGKILL = 9;

    private final Rooms rooms;
    private final Run run;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ActiveTime time;
    private final Talk talk;
    private final long outOfMemoryKills = Processes.outOfMemoryKills();
    private boolean leaving; // this node, so what it takes along must be there before it ends here
    private int packings;
    private boolean remarked; // that it was interrupted; what follows may have to be tried again

    Ending(Rooms rooms, Run run, Driver driver, AttemptDirectory directory, ActiveTime time, Talk talk) {
        this.rooms = rooms;
        this.run = run;
        this.driver = driver;
        this.directory = directory;
        this.time = time;
        this.talk = talk;
    }

    /** What is known of the attempt; {@code witnessed} if it ended before our eyes: else no clock tells how long it took. */
    Evidence evidence(Optional<Began> began, boolean witnessed) {
        String stderr;
        try {
            stderr = PrivateFiles.tail(directory.err(), STDERR_TAIL);
        } catch (IOException e) {
            stderr = "";
        }
        var seen = began.filter(_ -> witnessed);
        return new Evidence(
                Optional.empty(),
                began.map(Began::agent),
                began.map(Began::bootId),
                directory.lastSignOfLife(),
                seen.map(_ -> time.active()),
                seen.map(known -> Duration.ofNanos(rooms.clock().sleptNanos() - known.sleptNanos()))
                        .filter(slept -> slept.compareTo(A_NAP) > 0),
                stderr,
                List.of(),
                Optional.empty());
    }

    /** Its perch recorded how it ended, and nothing of it is left. */
    void exited(Exit exit, Evidence evidence) throws IOException {
        talk.drain(Optional.of(exit));
        var last = talk.last();
        var result = result(last);
        boolean outOfMemory = last.isEmpty() && killedForMemory(exit);
        var setup = directory.setup().failed();
        if (setup.isPresent()) {
            notSetUp(setup.get(), evidence);
            return;
        }
        var outcome = driver.judge(exit, last, result.bytes() > 0);
        RunEvent how = new RunEvent.Exited(outcome);
        if (outOfMemory) how = lost(Cause.OUT_OF_MEMORY);
        else if (outcome.cause() == Cause.RATE_LIMITED && Jobs.canGoOn(rooms, run))
            how = new RunEvent.Parked(Parking.until(rooms, run, talk.heard()));
        var why = last.isPresent() && last.get() instanceof LastWord.Failure(var _, var words)
                ? evidence.withNote(words)
                : evidence;
        commit(how, directory.endedAt().orElseGet(rooms.clock()::now), why, result);
    }

    /** It vanished without a record; but it may have said its last word before. */
    void vanished(Cause cause, Evidence evidence) throws IOException {
        talk.drain(Optional.empty());
        var last = talk.last();
        var result = result(last);
        var how = last.isPresent()
                ? new RunEvent.Exited(driver.judge(new Exit(0, false), last, result.bytes() > 0))
                : lost(cause);
        commit(how, rooms.clock().now(), evidence, result);
    }

    /** Its node is emptied: it goes on elsewhere, unless it came to an end of its own before it was stopped. */
    void moved(Optional<Exit> exit, Evidence evidence) throws IOException {
        leaving = true;
        talk.drain(exit);
        if (talk.last().isPresent() && talk.last().get() instanceof LastWord.Success) {
            exited(new Exit(0, false), evidence); // by what it said: how it was stopped says nothing of it
            return;
        }
        commit(
                new RunEvent.Lost(Cause.WORKER_LOST, true),
                rooms.clock().now(),
                evidence.withNote("the operator emptied its node %s; it goes on elsewhere"
                        .formatted(rooms.peers().self())),
                Result.none());
    }

    /** Whether it may be stopped in order to go on elsewhere. */
    boolean canBeMoved() {
        return run.resumeOnLoss() && Jobs.canGoOn(rooms, run);
    }

    void notStarted(Exception because, Evidence evidence) throws IOException {
        commit(
                new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                rooms.clock().now(),
                evidence.withNote("it could not be started: " + because.getMessage()),
                Result.none());
    }

    /** The command that was to make its worktree ready failed, so the agent itself never began. */
    private void notSetUp(String status, Evidence evidence) throws IOException {
        var said = directory.setup().said().orElse("").strip();
        commit(
                new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                directory.endedAt().orElseGet(rooms.clock()::now),
                evidence.withNote("the setup of its worktree failed with exit status %s: %s"
                        .formatted(status, said.substring(Math.max(0, said.length() - STDERR_TAIL)))),
                Result.none());
    }

    void stoppedBeforeItBegan(Stop stop, Evidence evidence) throws IOException {
        commit(
                new RunEvent.Lost(Cause.PERCH_LOST, false),
                rooms.clock().now(),
                evidence.withNote("stopped by %s before it began".formatted(stop.who())),
                Result.none());
    }

    /** What a command printed is its result; what an agent printed is for its driver to read. */
    private Result result(Optional<LastWord> last) throws IOException {
        if (last.isPresent()) return Results.collect(directory, last.get());
        if (driver.name().equals("command") || PrivateFiles.size(directory.result()) > 0)
            return Results.collect(directory);
        return Result.none();
    }

    /** The kernel counts whom it kills for want of memory; a KILL without that count is somebody else's. */
    private boolean killedForMemory(Exit exit) {
        return exit.signaled() && exit.signal() == SIGKILL && Processes.outOfMemoryKills() > outOfMemoryKills;
    }

    /** One that had not even named its conversation may not have heard what it was asked: so that is asked again. */
    private String nextPrompt(RunEvent how) throws IOException {
        if (talk.heard().session().isEmpty()) {
            var asked = directory.promptText();
            if (asked.isPresent()) return asked.get();
        }
        return Interruption.prompt(how, talk.heard(), run);
    }

    private RunEvent.Lost lost(Cause cause) {
        return new RunEvent.Lost(cause, Losses.mayResume(rooms, run));
    }

    /** An attempt that is followed by another gets that one ready first; one that is not gets its last lines in output.md. */
    private void commit(RunEvent how, Instant at, Evidence evidence, Result result) throws IOException {
        int attempt = run.latest().n();
        boolean goesOn = how instanceof RunEvent.Parked || (how instanceof RunEvent.Lost(var _, var resume) && resume);
        if (goesOn) {
            boolean again = remarked;
            remarked = true;
            if (!again) talk.remark(Interruption.remark(how));
            boolean packed = rooms.porter().packNow(run, talk.heard().session().or(run::sessionId));
            if (!packed && leaving && ++packings < MOST_PACKINGS)
                throw new IOException("what it takes along could not be put where others find it");
            Jobs.prepareNext(rooms, run, talk.progress(), nextPrompt(how));
        }
        // who sees the end, be it elsewhere, sees all that was said before it; unless that kept the end itself back
        var _ = rooms.peers().flush(run.id(), FLUSHED_WITHIN);
        rooms.ledger().finish(run.id(), attempt, new End(how, at, evidence, result, talk.progress()));
        rooms.peers().dropped(run.id(), attempt + 1);
        var ended = rooms.ledger().runs().attempts(run.id());
        if (ended.size() > attempt) return; // it goes on; somebody may have stopped it in this very moment, though
        try {
            talk.seal(ended.get(attempt - 1));
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s/%d: output.md lacks its last lines".formatted(run.id(), attempt),
                    e);
        }
    }
}
