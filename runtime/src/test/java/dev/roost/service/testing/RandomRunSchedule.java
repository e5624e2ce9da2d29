package dev.roost.service.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.Task;
import dev.roost.base.Refusal;
import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import dev.roost.config.EngineConfig;
import dev.roost.engine.StartRequest;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.ledger.record.NoticeHistory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.ProcessId;
import dev.roost.os.Processes;
import dev.roost.output.OutputPage;
import dev.roost.process.ProcessTree;
import dev.roost.service.RoostService;
import dev.roost.testing.OffsetClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One random schedule in its own home. Its seed determines every step, and it logs every step. */
public final class RandomRunSchedule implements ScheduleRunner.Day {

    private static final List<Owner> OWNERS = List.of(new Owner("claude:one"), new Owner("codex:two"));
    private static final List<ScheduleAgentKind> KINDS = List.of(ScheduleAgentKind.values());
    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);
    private static final Duration[] SPANS = {
        Duration.ofMillis(600), Duration.ofSeconds(9), Duration.ofMinutes(10), Duration.ofMinutes(31)
    };

    private final Random random;
    private final Path scratch;
    private final Home home;
    private final EngineConfig config;
    private final RunScheduleInspector inspector;
    private final RoostOpener roostOpener;
    private final OffsetClock clock = new OffsetClock();
    private final List<ScheduledRun> scheduledRuns = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> waiting = new ArrayList<>();
    private RoostService service;

    public RandomRunSchedule(long seed, Path scratch, RoostOpener roostOpener) {
        this.roostOpener = roostOpener;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.scratch = scratch;
        this.home = Home.open(scratch.resolve("home"));
        var overflow = random.nextInt(4) == 0 ? Caps.Overflow.REFUSE : Caps.Overflow.QUEUE;
        this.config = new EngineConfig(
                new Caps(2 + random.nextInt(2), 3 + random.nextInt(2), overflow), 1, Budget.DEFAULT_MAX_OUTPUT);
        this.inspector = new RunScheduleInspector(home, config.caps(), clock, scratch);
        this.service = open();
        log.add("open " + config.caps());
    }

    private RoostService open() {
        return roostOpener.open(home, config, clock);
    }

    @Override
    public List<String> log() {
        return log;
    }

    @Override
    public void play() throws Exception {
        submit();
        int steps = 7 + random.nextInt(5);
        for (int i = 0; i < steps; i++) {
            int burst = random.nextInt(3) == 0 ? 3 : 1; // some steps follow each other without a check between them
            for (int n = 0; n < burst; n++) step();
            log.add("check");
            inspector.check(service, scheduledRuns);
        }
        finish();
    }

    private void step() throws Exception {
        int dice = random.nextInt(100);
        if (dice < 30) submit();
        else if (dice < 40) stop();
        else if (dice < 58) whileUpOrDown(random.nextInt(7));
        else if (dice < 66) restart(0);
        else if (dice < 74) restart(1 + random.nextInt(2));
        else if (dice < 84) time();
        else if (dice < 93) read();
        else acknowledge();
    }

    private void submit() {
        var owner = OWNERS.get(random.nextInt(OWNERS.size()));
        var scheduleAgentKind = KINDS.get(random.nextInt(KINDS.size()));
        var gate = scratch.resolve("gate-" + log.size());
        boolean capped = scheduleAgentKind.gated() && random.nextInt(3) == 0;
        var environment = Map.of("PATH", System.getenv("PATH"), "SCRATCH", scratch.toString(), "GATE", gate.toString());
        var request = new StartRequest(
                owner,
                "command",
                new Task(List.of("sh", "-c", scheduleAgentKind.script()), Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                scratch,
                environment,
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT)
                        .withMaxTime(capped ? Optional.of(ScheduledRun.MAX_TIME) : Optional.empty()),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
        long now = clock.monotonicNanos();
        try {
            var scheduledRun =
                    new ScheduledRun(service.start(request).id(), owner, scheduleAgentKind, gate, capped, now);
            scheduledRuns.add(scheduledRun);
            inspector.see(new RunFact.Accepted(scheduledRun.id.text()));
            log.add("submit " + scheduledRun);
        } catch (Refusal refusal) {
            assertThat(refusal.code()).isEqualTo("over_capacity");
            assertThat(config.caps().overflow()).isEqualTo(Caps.Overflow.REFUSE);
            log.add("submit %s of %s: refused".formatted(scheduleAgentKind, owner));
        }
    }

    private ScheduledRun any() {
        int recent = random.nextInt(2) == 0 ? Math.max(0, scheduledRuns.size() - 2) : 0;
        return scheduledRuns.get(recent + random.nextInt(scheduledRuns.size() - recent));
    }

    private RunRecord show(ScheduledRun scheduledRun) {
        return service.find(scheduledRun.id.text(), OPERATOR);
    }

    private Caller ownerOrOperator(ScheduledRun scheduledRun) {
        return random.nextBoolean() ? OPERATOR : new Caller(scheduledRun.owner, false);
    }

    private void stop() {
        var scheduledRun = any();
        var caller = ownerOrOperator(scheduledRun);
        log.add("stop %s by %s".formatted(scheduledRun, caller.asActor()));
        scheduledRun.stopAsked();
        var serving = service;
        var run = show(scheduledRun);
        waiting.add(callers.submit(() -> {
            String id = run.id().text();
            boolean ended = serving.stop(run, caller).status().ended();
            var left = RunProcess.in(home).stream()
                    .filter(process -> process.run().equals(id))
                    .toList();
            inspector.see(
                    RunScheduleInspector.answer(Promise.ONE_TRUTH, id, "its reply to a stop is an end", ended, true),
                    RunScheduleInspector.answer(Promise.NO_ORPHANS, id, "processes after its stop", left, List.of()));
        }));
    }

    /** An action on processes, with or without a running daemon. */
    private void whileUpOrDown(int what) throws IOException {
        var scheduledRun = any();
        var directory = home.run(scheduledRun.id).attempt(1);
        switch (what) {
            case 0, 1 -> {
                log.add("open the gate of " + scheduledRun);
                scheduledRun.opened();
                if (!Files.exists(scheduledRun.gate)) Files.createFile(scheduledRun.gate);
            }
            case 2 ->
                perch(scheduledRun, directory).ifPresent(perch -> {
                    log.add("kill the perch of " + scheduledRun);
                    scheduledRun.perchKilled();
                    ProcessTree.kill(perch);
                });
            case 3 ->
                agent(directory).ifPresent(agent -> {
                    log.add("kill the agent of " + scheduledRun);
                    scheduledRun.agentKilled();
                    ProcessTree.kill(agent);
                });
            case 4 -> {
                var perch = perch(scheduledRun, directory);
                var agent = agent(directory);
                log.add("kill perch %s and agent %s of %s".formatted(perch, agent, scheduledRun));
                perch.ifPresent(id -> scheduledRun.perchKilled());
                agent.ifPresent(id -> scheduledRun.agentKilled());
                agent.ifPresent(ProcessTree::kill);
                perch.ifPresent(ProcessTree::kill);
            }
            default ->
                RunProcess.in(home).stream()
                        .filter(process -> process.run().equals(scheduledRun.id.text()))
                        .filter(process -> process.command().matches("(/bin/)?sleep .*"))
                        .findFirst()
                        .ifPresent(child -> {
                            log.add("kill a child of " + scheduledRun);
                            ProcessTree.kill(child.id());
                        });
        }
    }

    private Optional<ProcessId> perch(ScheduledRun scheduledRun, AttemptDirectory directory) throws IOException {
        var recorded = directory.start().map(AttemptDirectory.StartRecord::perch);
        if (recorded.isPresent()) return recorded.filter(Processes::alive);
        var own = RunProcess.in(home).stream()
                .filter(process -> process.run().equals(scheduledRun.id.text()))
                .toList();
        return own.stream()
                .filter(process -> own.stream().noneMatch(other -> other.id().pid() == process.parent()))
                .map(RunProcess::id)
                .findFirst();
    }

    private static Optional<ProcessId> agent(AttemptDirectory directory) throws IOException {
        return directory.start().map(AttemptDirectory.StartRecord::agent).filter(Processes::alive);
    }

    /** Closes the daemon and opens another, with some actions in between. */
    private void restart(int meanwhile) throws IOException {
        log.add("close");
        forgetCallers();
        service.close();
        for (int i = 0; i < meanwhile; i++) {
            if (random.nextInt(3) == 0) time(false);
            else whileUpOrDown(random.nextInt(7));
        }
        service = open();
        log.add("open");
    }

    /** Cancels callers that wait for a stop, as they disconnect with the daemon; their stop requests remain. */
    private void forgetCallers() {
        waiting.forEach(caller -> {
            if (caller.state() == Future.State.FAILED) throw new AssertionError(caller.exceptionNow());
            caller.cancel(true);
        });
        waiting.clear();
    }

    private void time() {
        time(true);
    }

    private void time(boolean up) {
        switch (random.nextInt(4)) {
            case 0 -> {
                log.add("the machine sleeps for 16 hours");
                clock.sleepMachine(Duration.ofHours(16));
            }
            case 1 -> {
                var step = Duration.ofMinutes(random.nextInt(4000) - 2000);
                log.add("the wall clock steps by " + step);
                clock.stepWall(step);
            }
            default -> {
                var span = SPANS[random.nextInt(SPANS.length)];
                log.add(span + " pass");
                clock.pass(span);
            }
        }
        if (up) service.sweep();
    }

    private void read() {
        var scheduledRun = any();
        var caller = ownerOrOperator(scheduledRun);
        boolean waits = random.nextBoolean();
        log.add("read %s as %s%s".formatted(scheduledRun, caller.asActor(), waits ? ", waiting" : ""));
        var until = waits ? OutputPage.WaitMode.END : OutputPage.WaitMode.NOW;
        var output = service.output(
                show(scheduledRun), new OutputPage.Request(Optional.empty(), 0, until, Duration.ofMillis(50)));
        if (!output.attempt().status().ended()) return;
        service.markRead(output.run(), output.attempt().n(), caller);
        if (!caller.operator()) scheduledRun.readByOwner = true;
    }

    private void acknowledge() {
        var scheduledRun = any();
        var caller = random.nextInt(3) == 0
                ? new Caller(new Owner("claude:stranger"), false)
                : new Caller(scheduledRun.owner, false);
        log.add("acknowledge %s as %s".formatted(scheduledRun, caller.asActor()));
        var pending = service.notices(show(scheduledRun)).stream()
                .filter(notice -> notice.ackedAt().isEmpty())
                .map(NoticeHistory::id)
                .toList();
        var done = service.acknowledge(pending, caller);
        var own = caller.owner().equals(scheduledRun.owner) ? pending : List.of();
        var still = service.inbox(Optional.empty(), caller).stream()
                .filter(notice -> done.contains(notice.id()))
                .toList();
        String id = scheduledRun.id.text();
        inspector.see(
                RunScheduleInspector.answer(Promise.YOURS_IS_YOURS, id, "what it may acknowledge", done, own),
                RunScheduleInspector.answer(Promise.NO_SURPRISE, id, "acknowledged, but pending", still, List.of()));
    }

    /** Lets the runs end or stops them; afterwards no process may be left. */
    private void finish() throws Exception {
        if (random.nextInt(3) == 0) {
            log.add("open all gates");
            for (var scheduledRun : scheduledRuns) {
                scheduledRun.opened();
                if (!Files.exists(scheduledRun.gate)) Files.createFile(scheduledRun.gate);
            }
        } else {
            log.add("stop all");
            for (var scheduledRun : scheduledRuns) {
                var run = show(scheduledRun);
                if (run.status().ended()) continue;
                scheduledRun.stopAsked();
                waiting.add(callers.submit(() -> service.stop(run, OPERATOR)));
            }
        }
        long began = System.nanoTime();
        while (scheduledRuns.stream()
                .anyMatch(scheduledRun -> !show(scheduledRun).status().ended())) {
            long millis = (System.nanoTime() - began) / 1_000_000;
            inspector.see(new RunFact.Amount(Promise.NO_ROW_LIES, "", "ms until all had ended", millis, 20_000));
            Thread.sleep(5);
            if (millis > 400) clock.pass(Duration.ofSeconds(2)); // skips the grace period of agents that ignore SIGTERM
            if (millis > 400) service.sweep();
        }
        for (var caller : waiting) caller.get(10, TimeUnit.SECONDS);
        waiting.clear();
        restart(0); // a restart keeps all results and finishes pending work
        inspector.checkEnd(service, scheduledRuns);
        roostOpener.over(home);
    }

    @Override
    public void close() {
        callers.shutdownNow();
        service.close();
        RunProcess.in(home).forEach(process -> ProcessTree.kill(process.id()));
    }
}
