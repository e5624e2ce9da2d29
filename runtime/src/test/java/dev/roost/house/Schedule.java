package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.Task;
import dev.roost.ledger.NoticeTrace;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.ProcessId;
import dev.roost.run.Refused;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
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

/** One random day in a home of its own: everything it does follows from its seed, and is written down. */
final class Schedule implements Days.Day {

    private static final List<Owner> OWNERS = List.of(new Owner("claude:one"), new Owner("codex:two"));
    private static final List<Kind> KINDS = List.of(Kind.values());
    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);
    private static final Duration[] SPANS = {
        Duration.ofMillis(600), Duration.ofSeconds(9), Duration.ofMinutes(10), Duration.ofMinutes(31)
    };

    private final Random random;
    private final Path scratch;
    private final Home home;
    private final Config config;
    private final Witness witness;
    private final Opening opening;
    private final ShiftedClock clock = new ShiftedClock();
    private final List<Subject> subjects = new ArrayList<>();
    private final List<String> diary = new ArrayList<>();
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> waiting = new ArrayList<>();
    private House house;

    Schedule(long seed, Path scratch, Opening opening) {
        this.opening = opening;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.scratch = scratch;
        this.home = Home.open(scratch.resolve("home"));
        var overflow = random.nextInt(4) == 0 ? Caps.Overflow.REFUSE : Caps.Overflow.QUEUE;
        this.config = new Config(
                new Caps(2 + random.nextInt(2), 3 + random.nextInt(2), overflow), 1, Budget.DEFAULT_MAX_OUTPUT);
        this.witness = new Witness(home, config.caps(), clock, scratch);
        this.house = open();
        diary.add("open " + config.caps());
    }

    private House open() {
        return opening.open(home, config, clock);
    }

    @Override
    public List<String> diary() {
        return diary;
    }

    @Override
    public void play() throws Exception {
        submit();
        int steps = 7 + random.nextInt(5);
        for (int i = 0; i < steps; i++) {
            int burst = random.nextInt(3) == 0 ? 3 : 1; // some things happen at once, with nobody looking in between
            for (int n = 0; n < burst; n++) step();
            diary.add("look");
            witness.look(house, subjects);
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
        var kind = KINDS.get(random.nextInt(KINDS.size()));
        var gate = scratch.resolve("gate-" + diary.size());
        boolean capped = kind.gated() && random.nextInt(3) == 0;
        var environment = Map.of("PATH", System.getenv("PATH"), "SCRATCH", scratch.toString(), "GATE", gate.toString());
        var request = new StartRequest(
                owner,
                "command",
                new Task(List.of("sh", "-c", kind.script()), Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                scratch,
                environment,
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT)
                        .withMaxTime(capped ? Optional.of(Subject.MAX_TIME) : Optional.empty()),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
        long now = clock.monotonicNanos();
        try {
            var subject = new Subject(house.start(request).id(), owner, kind, gate, capped, now);
            subjects.add(subject);
            diary.add("submit " + subject);
        } catch (Refused refused) {
            assertThat(refused.code()).isEqualTo("over_capacity");
            assertThat(config.caps().overflow()).isEqualTo(Caps.Overflow.REFUSE);
            diary.add("submit %s of %s: refused".formatted(kind, owner));
        }
    }

    private Subject any() {
        int recent = random.nextInt(2) == 0 ? Math.max(0, subjects.size() - 2) : 0;
        return subjects.get(recent + random.nextInt(subjects.size() - recent));
    }

    private Run show(Subject subject) {
        return house.find(subject.id.text(), OPERATOR);
    }

    private Caller ownerOrOperator(Subject subject) {
        return random.nextBoolean() ? OPERATOR : new Caller(subject.owner, false);
    }

    private void stop() {
        var subject = any();
        var caller = ownerOrOperator(subject);
        diary.add("stop %s by %s".formatted(subject, caller.asActor()));
        subject.stopAsked();
        var serving = house;
        var run = show(subject);
        waiting.add(callers.submit(() -> {
            assertThat(serving.stop(run, caller).status().ended()).isTrue();
            assertThat(Living.in(home))
                    .as("after the stop of %s", subject)
                    .noneMatch(process -> process.run().equals(run.id().text()));
        }));
    }

    /** What happens to processes happens whether a daemon is there or not. */
    private void whileUpOrDown(int what) throws IOException {
        var subject = any();
        var directory = home.run(subject.id).attempt(1);
        switch (what) {
            case 0, 1 -> {
                diary.add("open the gate of " + subject);
                subject.opened();
                if (!Files.exists(subject.gate)) Files.createFile(subject.gate);
            }
            case 2 ->
                perch(subject, directory).ifPresent(perch -> {
                    diary.add("kill the perch of " + subject);
                    subject.perchKilled();
                    ProcessTree.kill(perch);
                });
            case 3 ->
                agent(directory).ifPresent(agent -> {
                    diary.add("kill the agent of " + subject);
                    subject.agentKilled();
                    ProcessTree.kill(agent);
                });
            case 4 -> {
                var perch = perch(subject, directory);
                var agent = agent(directory);
                diary.add("kill perch %s and agent %s of %s".formatted(perch, agent, subject));
                perch.ifPresent(id -> subject.perchKilled());
                agent.ifPresent(id -> subject.agentKilled());
                agent.ifPresent(ProcessTree::kill);
                perch.ifPresent(ProcessTree::kill);
            }
            default ->
                Living.in(home).stream()
                        .filter(process -> process.run().equals(subject.id.text()))
                        .filter(process -> process.command().matches("(/bin/)?sleep .*"))
                        .findFirst()
                        .ifPresent(child -> {
                            diary.add("kill a child of " + subject);
                            ProcessTree.kill(child.id());
                        });
        }
    }

    private Optional<ProcessId> perch(Subject subject, AttemptDirectory directory) throws IOException {
        var recorded = directory.start().map(AttemptDirectory.Start::perch);
        if (recorded.isPresent()) return recorded.filter(Processes::alive);
        var own = Living.in(home).stream()
                .filter(process -> process.run().equals(subject.id.text()))
                .toList();
        return own.stream()
                .filter(process -> own.stream().noneMatch(other -> other.id().pid() == process.parent()))
                .map(Living::id)
                .findFirst();
    }

    private static Optional<ProcessId> agent(AttemptDirectory directory) throws IOException {
        return directory.start().map(AttemptDirectory.Start::agent).filter(Processes::alive);
    }

    /** The daemon goes and another comes; some things may happen in between. */
    private void restart(int meanwhile) throws IOException {
        diary.add("close");
        forgetCallers();
        house.close();
        for (int i = 0; i < meanwhile; i++) {
            if (random.nextInt(3) == 0) time(false);
            else whileUpOrDown(random.nextInt(7));
        }
        house = open();
        diary.add("open");
    }

    /** A caller that waits for its stop goes away with the daemon; what it asked for is asked for. */
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
                diary.add("the machine sleeps for 16 hours");
                clock.sleepMachine(Duration.ofHours(16));
            }
            case 1 -> {
                var step = Duration.ofMinutes(random.nextInt(4000) - 2000);
                diary.add("the wall clock steps by " + step);
                clock.stepWall(step);
            }
            default -> {
                var span = SPANS[random.nextInt(SPANS.length)];
                diary.add(span + " pass");
                clock.pass(span);
            }
        }
        if (up) house.sweep();
    }

    private void read() {
        var subject = any();
        var caller = ownerOrOperator(subject);
        boolean patient = random.nextBoolean();
        diary.add("read %s as %s%s".formatted(subject, caller.asActor(), patient ? ", patiently" : ""));
        var until = patient ? Output.Until.END : Output.Until.NOW;
        var output = house.output(show(subject), new Output.Request(Optional.empty(), 0, until, Duration.ofMillis(50)));
        if (!output.attempt().status().ended()) return;
        house.wasRead(output.run(), output.attempt().n(), caller);
        if (!caller.operator()) subject.readByOwner = true;
    }

    private void acknowledge() {
        var subject = any();
        var caller = random.nextInt(3) == 0
                ? new Caller(new Owner("claude:stranger"), false)
                : new Caller(subject.owner, false);
        diary.add("acknowledge %s as %s".formatted(subject, caller.asActor()));
        var pending = house.notices(show(subject)).stream()
                .filter(notice -> notice.ackedAt().isEmpty())
                .map(NoticeTrace::id)
                .toList();
        var done = house.acknowledge(pending, caller);
        assertThat(done).isEqualTo(caller.owner().equals(subject.owner) ? pending : List.of());
        assertThat(house.inbox(Optional.empty(), caller)).noneMatch(notice -> done.contains(notice.id()));
    }

    /** Some days end by themselves, others are ended; then nothing may be left. */
    private void finish() throws Exception {
        if (random.nextInt(3) == 0) {
            diary.add("open all gates");
            for (var subject : subjects) {
                subject.opened();
                if (!Files.exists(subject.gate)) Files.createFile(subject.gate);
            }
        } else {
            diary.add("stop all");
            for (var subject : subjects) {
                var run = show(subject);
                if (run.status().ended()) continue;
                subject.stopAsked();
                waiting.add(callers.submit(() -> house.stop(run, OPERATOR)));
            }
        }
        long began = System.nanoTime();
        while (subjects.stream().anyMatch(subject -> !show(subject).status().ended())) {
            long millis = (System.nanoTime() - began) / 1_000_000;
            assertThat(millis).as("time until all had ended").isLessThan(20_000);
            Thread.sleep(5);
            if (millis > 400) clock.pass(Duration.ofSeconds(2)); // no need to wait for the stubborn in real time
            if (millis > 400) house.sweep();
        }
        for (var caller : waiting) caller.get(10, TimeUnit.SECONDS);
        waiting.clear();
        restart(0); // what is true stays true, and what was left undone is made up for
        witness.lookAtTheEnd(house, subjects);
        opening.over(home);
    }

    @Override
    public void close() {
        callers.shutdownNow();
        house.close();
        Living.in(home).forEach(process -> ProcessTree.kill(process.id()));
    }
}
