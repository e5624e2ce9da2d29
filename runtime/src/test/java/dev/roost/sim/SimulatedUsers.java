package dev.roost.sim;

import dev.roost.base.RoostError;
import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Users that submit, read, stop and continue runs, and the final check that every promise was kept. */
final class SimulatedUsers {

    private static final Owner ALICE = new Owner("cli:alice");
    private static final Path ANYWHERE = Path.of("/");
    private static final long SECOND = Simulation.SECOND;

    static final Duration QUIET_AFTER = Duration.ofSeconds(1);
    static final Duration MAX_QUIET = Duration.ofSeconds(3);
    static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);
    static final int MAX_ATTEMPTS = 3;
    static final long MAX_TOKENS = 100;
    static final Duration MAX_TIME = Duration.ofMillis(1500);

    static final class RequestedRun {
        final String callKey;
        final Owner owner;
        final boolean resume;
        final SimulatedBehavior.Plot plot;
        Optional<RunId> id = Optional.empty();
        boolean stopAsked;
        boolean isDone;
        final Map<Integer, Long> stopped =
                new HashMap<>(); // when the daemon confirmed the stop of an attempt, in time awake
        final Set<Integer> read = new HashSet<>();

        RequestedRun(String callKey, Owner owner, boolean resume, SimulatedBehavior.Plot plot) {
            this.callKey = callKey;
            this.owner = owner;
            this.resume = resume;
            this.plot = plot;
        }
    }

    private final Simulation simulation;
    private final List<RequestedRun> requestedRuns = new ArrayList<>();
    private final Map<String, SimulatedBehavior> behaviors = new HashMap<>();
    private final Optional<SimulatedSession> session;
    private int ids;
    private boolean done;

    SimulatedUsers(Simulation simulation) {
        this.simulation = simulation;
        this.session = simulation.oneIn(3) ? Optional.of(new SimulatedSession(simulation)) : Optional.empty();
    }

    void plan() {
        int runs = simulation.oneIn(10) ? 3 : simulation.oneIn(3) ? 2 : 1;
        session.ifPresent(SimulatedSession::begin);
        for (int i = 0; i < runs; i++) {
            var owner = session.filter(_ -> !simulation.oneIn(4))
                    .map(_ -> SimulatedSession.OWNER)
                    .orElse(ALICE);
            var one = new RequestedRun("call-" + i, owner, simulation.oneIn(2), plot());
            requestedRuns.add(one);
            simulation.later(simulation.randomBelow(2 * SECOND), "submit " + one.callKey, () -> submit(one));
        }
        for (int i = 0; i < 2; i++)
            simulation.later(simulation.randomBelow(4 * SECOND), "a process is killed", this::killOne);
    }

    private void killOne() {
        if (!simulation.has(Simulation.Trouble.KILLS)) return;
        var one = requestedRuns.get(simulation.random.nextInt(requestedRuns.size()));
        if (one.id.isEmpty()) return;
        var alive = simulation.machine.of(simulation.machine.latest(one.id.get()));
        if (alive.isEmpty()) return;
        alive.sort((left, right) -> Long.compare(left.id.startTicks(), right.id.startTicks()));
        var victim = alive.get(simulation.random.nextInt(alive.size()));
        simulation.log("kill -9 " + victim.id);
        simulation.machine.end(victim);
    }

    /** Half of the runs are commands. */
    private SimulatedBehavior.Plot plot() {
        if (simulation.oneIn(2)) return SimulatedBehavior.Plot.COMMAND;
        var all = SimulatedBehavior.Plot.values();
        return all[simulation.random.nextInt(all.length)];
    }

    SimulatedBehavior behavior(RunId run, int attempt) {
        return behaviors.computeIfAbsent(
                run + "/" + attempt, _ -> SimulatedBehavior.of(requested(run).plot, simulation));
    }

    private RequestedRun requested(RunId run) {
        return requestedRuns.stream()
                .filter(one -> one.callKey.equals(
                        simulation.truth.runs().find(run).orElseThrow().description()))
                .findFirst()
                .orElseThrow();
    }

    /** Calls the daemon; a call without an answer is repeated, unless {@code retry} does nothing. */
    private void call(String what, Runnable retry, Runnable work) {
        try {
            if (simulation.daemon().isPresent()) {
                work.run();
                return;
            }
        } catch (RoostError e) {
            if (simulation.logging()) simulation.log(what + " failed: " + e.getMessage());
        } catch (Simulation.Crash e) {
            simulation.later(300 * Simulation.MILLI, "retry: " + what, retry);
            throw e;
        }
        simulation.later(300 * Simulation.MILLI, "retry: " + what, retry);
    }

    private void submit(RequestedRun one) {
        call("submit", () -> submit(one), () -> {
            ids++;
            var run = simulation.ledger.submit(
                    new NewRun(
                            new RunId("r_0000000000" + ids / 10 + ids % 10),
                            Optional.empty(),
                            one.owner,
                            one.plot.isCommand() ? "command" : "claude",
                            one.plot.isCommand() ? "command" : "claude",
                            "{}",
                            one.callKey,
                            ANYWHERE,
                            budget(one.plot),
                            one.resume,
                            1,
                            Optional.empty(),
                            Notify.DONE,
                            Optional.of(one.callKey),
                            Optional.empty()),
                    SimulatedDaemon.CAPS);
            one.id = Optional.of(run.id());
            simulation.see(new RunFact.Accepted(run.id().text()));
            simulation.daemon().ifPresent(SimulatedDaemon::fillSoon);
            var random = simulation.random;
            if (random.nextInt(4) == 0) simulation.later(simulation.randomBelow(3 * SECOND), "stop", () -> stop(one));
            if (random.nextInt(2) == 0) simulation.later(simulation.randomBelow(4 * SECOND), "read", () -> read(one));
            if (random.nextInt(3) == 0)
                simulation.later(simulation.randomBelow(4 * SECOND), "continue", () -> continueRun(one));
            if (random.nextInt(4) == 0)
                for (int i = 0; i < 4; i++)
                    simulation.later(simulation.randomBelow(6 * SECOND), "drain", () -> move(run.id()));
            if (one.plot == SimulatedBehavior.Plot.ASKS && random.nextInt(2) == 0)
                simulation.later(simulation.randomBelow(5 * SECOND), "answer", () -> answer(run.id()));
        });
    }

    private static Budget budget(SimulatedBehavior.Plot plot) {
        var none = Budget.ofOutput(1);
        return switch (plot) {
            case OVER_TIME, ASKS -> none.withMaxTime(Optional.of(MAX_TIME));
            case OVER_TOKENS ->
                new Budget(Optional.empty(), Optional.of(MAX_TOKENS), Optional.empty(), Optional.empty(), 1);
            default -> none;
        };
    }

    private void move(RunId run) {
        call("drain", () -> {}, () -> simulation.daemon().ifPresent(daemon -> daemon.move(run)));
    }

    /** A person answers; it may be too late. */
    private void answer(RunId id) {
        call("answer", () -> answer(id), () -> {
            var run = simulation.ledger.runs().find(id).orElseThrow();
            var asked = run.latest().asked();
            if (run.status() != Status.RUNNING || asked.isEmpty()) return;
            simulation
                    .ledger
                    .messages()
                    .post(
                            id,
                            run.latest().n(),
                            SentMessage.MessageKind.ANSWER,
                            Optional.of(asked.get().question().id()),
                            new MessageStore.MessageText("this one", "alice", Optional.empty()));
            simulation.daemon().ifPresent(daemon -> daemon.poke(id));
        });
    }

    private void stop(RequestedRun one) {
        one.stopAsked = true;
        call("stop", () -> stop(one), () -> {
            var by = new StopReason.UserStop(one.owner.id());
            var run = simulation.ledger.requestStop(one.id.orElseThrow(), by).orElseThrow();
            var stopping = run.latest().stopping();
            if (run.status().ended()
                    || stopping.filter(reason -> !reason.equals(by)).isPresent()) return;
            one.stopped.putIfAbsent(run.latest().n(), simulation.awake());
            simulation.daemon().ifPresent(daemon -> daemon.stop(run.id(), by));
        });
    }

    private void read(RequestedRun one) {
        call("read", () -> {}, () -> {
            var run = simulation.ledger.runs().find(one.id.orElseThrow()).orElseThrow();
            if (!run.status().ended()) return;
            one.read.add(run.latest().n());
            simulation.ledger.notices().markRead(run.id(), run.latest().n());
        });
    }

    private void continueRun(RequestedRun one) {
        if (simulation.isCalm()) return;
        call("continue", () -> continueRun(one), () -> {
            var run = simulation.ledger.runs().find(one.id.orElseThrow()).orElseThrow();
            if (!run.status().ended()) {
                simulation.later(simulation.randomBelow(2 * SECOND), "continue", () -> continueRun(one));
                return;
            }
            simulation.ledger.continueAfter(
                    run.id(), run.latest().n(), one.owner.id(), Optional.empty(), StreamPosition.START);
            simulation.daemon().ifPresent(SimulatedDaemon::fillSoon);
        });
    }

    /** A user that waits for changes of the run reads it after a change. */
    void observe(RunId id) {
        var found = simulation.ledger.runs().find(id);
        var actual = simulation.simulatedFlaw == SimulatedFlaw.NONE
                ? found
                : simulation.truth.runs().find(id);
        if (found.isEmpty() || actual.isEmpty()) return;
        var now = observed(found.get());
        if (actual.get().status().ended())
            simulation.see(new RunFact.Answer(
                    Promise.ONE_TRUTH,
                    id.text(),
                    "what a reader gets",
                    now.toString(),
                    observed(actual.get()).toString()));
        simulation.see(now);
    }

    private static RunFact.Reported observed(RunRecord run) {
        String end = run.status().ended() ? run.status() + " " + run.latest().cause() : "";
        return new RunFact.Reported(
                run.id().text(), run.latest().n(), run.status().word(), end);
    }

    void reboot() {
        session.ifPresent(SimulatedSession::reboot);
    }

    void calm() {
        simulation.later(SECOND, "is all done?", this::check);
    }

    private void check() {
        if (!open().isEmpty()) simulation.later(SECOND, "is all done?", this::check);
        else if (session.isPresent() && !session.get().isUpToDate())
            simulation.later(SECOND / 2, "is all done?", this::check);
        else done = true;
    }

    boolean areDone() {
        return done;
    }

    /** Descriptions of everything that is not finished. */
    List<String> open() {
        var open = new ArrayList<String>();
        for (var one : requestedRuns) {
            if (one.isDone) continue;
            var run = one.id.flatMap(simulation.truth.runs()::find);
            if (run.isEmpty()) open.add(one.callKey + " has no run");
            else if (!run.get().status().ended())
                open.add("%s is %s".formatted(run.get().id(), run.get().status()));
            else one.isDone = simulation.isCalm(); // no user continues it after that
        }
        if (simulation.daemon().filter(SimulatedDaemon::isIdle).isEmpty()) open.add("the daemon is at work");
        if (simulation.machine.isAPerchStarting()) open.add("a perch is on its way");
        return open;
    }

    void checkPromises() {
        var runs = simulation.truth.runs().list(RunQuery.of(RunQuery.StatusFilter.ALL)).stream()
                .map(run -> run.id().text())
                .collect(Collectors.toSet());
        simulation.see(new RunFact.Listed(runs, true));
        for (var one : requestedRuns) {
            new SimulationInspector(simulation).inspect(one);
            checkNotices(one);
        }
    }

    private void checkNotices(RequestedRun one) {
        if (!one.owner.equals(SimulatedSession.OWNER)) return;
        for (var notice : simulation.truth.notices().of(one.id.orElseThrow())) {
            // a question needs no reader any more once it is answered
            if (one.read.contains(notice.attempt()) || !notice.kind().equals("ended")) continue;
            var name = one.id.get() + "/" + notice.attempt();
            boolean told = notice.ackedAt().isPresent() && session.orElseThrow().hasProcessed(notice.id());
            String how = told ? "acknowledged and read" : "acknowledged at " + notice.ackedAt();
            simulation.see(new RunFact.Answer(Promise.NO_SURPRISE, name, "its notice", how, "acknowledged and read"));
        }
    }
}
