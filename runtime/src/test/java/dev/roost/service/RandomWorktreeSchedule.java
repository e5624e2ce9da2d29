package dev.roost.service;

import static dev.roost.testing.FileTrees.files;
import static dev.roost.testing.FileTrees.git;
import static dev.roost.testing.FileTrees.remove;
import static dev.roost.testing.FileTrees.tryGit;
import static dev.roost.testing.FileTrees.withoutIgnored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.base.NoSuchRun;
import dev.roost.config.EngineConfig;
import dev.roost.config.WorktreePolicy;
import dev.roost.engine.StartRequest;
import dev.roost.home.Home;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.ExitWatcher;
import dev.roost.os.Processes;
import dev.roost.os.SystemClock;
import dev.roost.output.OutputPage;
import dev.roost.process.Cgroups;
import dev.roost.process.ProcessTree;
import dev.roost.service.testing.CheckpointPromiseChecker;
import dev.roost.service.testing.RunProcess;
import dev.roost.service.testing.ScheduleRunner;
import dev.roost.service.testing.WorktreeAgentPlan;
import dev.roost.testing.AgentScriptFixture;
import dev.roost.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;

/** One random day of agents in worktrees of one repository, with everything that may happen to them. */
final class RandomWorktreeSchedule implements ScheduleRunner.Day {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);

    private static final PruneRequest EVERYTHING =
            new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), true, false, false, false);

    /** A run, its plan, and what its files must be once they are brought back, where somebody took them away. */
    private static final class Subject {
        final RunId id;
        final WorktreeAgentPlan plan;
        Optional<Map<String, String>> taken = Optional.empty();

        Subject(RunId id, WorktreeAgentPlan plan) {
            this.id = id;
            this.plan = plan;
        }
    }

    private final Random random;
    private final Path scratch;
    private final Path repo;
    private final Home home;
    private final EngineConfig config;
    private final List<Subject> subjects = new ArrayList<>();

    private final List<String> diary = new ArrayList<>();
    private final CheckpointPromiseChecker witness;

    private RoostService service;
    private int copies;

    RandomWorktreeSchedule(long seed, Path scratch) throws IOException {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.scratch = scratch;
        this.repo = Files.createDirectory(scratch.resolve("repo"));
        this.witness = new CheckpointPromiseChecker(repo);
        this.home = Home.open(scratch.resolve("home"));
        git(repo, "init", "-q", "-b", "main");
        Files.writeString(repo.resolve("a.txt"), "one\n");
        Files.writeString(repo.resolve("b.txt"), "two\n");
        Files.writeString(repo.resolve(".gitignore"), "*.secret\n");
        Files.writeString(repo.resolve(".gitattributes"), "*.txt text=auto\n");
        git(repo, "add", "-A");
        git(repo, "commit", "-qm", "first");
        var worker = new AgentProfile(
                "worker",
                "claude",
                List.of("sh", "-c", AgentScriptFixture.SPEAKS + WorktreeAgentPlan.AGENT, "agent"),
                Optional.empty(),
                List.of(),
                Permissions.SAFE,
                Optional.empty(),
                Map.of());
        this.config = new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT)
                .with(Map.of("worker", new EngineConfig.NamedAgent(worker, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT))))
                .with(new EngineConfig.QuestionPolicy(false, Optional.empty()))
                .with(new WorktreePolicy(
                        WorktreePolicy.SetupPolicy.NOTHING,
                        Duration.ofMillis(150),
                        Optional.empty(),
                        50L << 20,
                        false));
        this.service = open();
    }

    private RoostService open() {
        return RoostService.open(home, config, new SystemClock(), Cgroups.open(), ExitWatcher.open());
    }

    @Override
    public List<String> diary() {
        return diary;
    }

    @Override
    public void play() throws IOException {
        submit();
        int steps = 10 + random.nextInt(8);
        for (int i = 0; i < steps; i++) {
            step();
            lookAtKept();
        }
        finish();
    }

    private void step() throws IOException {
        int dice = random.nextInt(100);
        if (dice < 12 && subjects.size() < 4) submit();
        else if (dice < 45) work();
        else if (dice < 55) killSomething();
        else if (dice < 62) restart();
        else if (dice < 68) pause();
        else if (dice < 76) prune();
        else if (dice < 83) restore();
        else if (dice < 88) advance();
        else if (dice < 93) collectGarbage();
        else takeAway();
    }

    private Subject any() {
        return subjects.get(random.nextInt(subjects.size()));
    }

    private void submit() throws IOException {
        var plan = WorktreeAgentPlan.write(scratch.resolve("plan-" + subjects.size()), random);
        var environment = new HashMap<>(FileTrees.GIT);
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", scratch.toString());
        environment.put("PLAN", plan.dir().toString());
        var run = service.start(new StartRequest(
                new Owner("claude:one"),
                "worker",
                new Task(List.of(), Optional.of("do it")),
                Optional.empty(),
                Optional.empty(),
                repo,
                environment,
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN,
                new StartRequest.Terms(Notify.DONE, Optional.empty(), List.of(), true)));
        subjects.add(new Subject(run.id(), plan));
        diary.add("submit %s with %s".formatted(run.id(), plan));
    }

    private Optional<RunRecord> find(Subject subject) {
        try {
            return Optional.of(service.find(subject.id.text(), OPERATOR));
        } catch (NoSuchRun e) {
            return Optional.empty(); // pruned
        }
    }

    private boolean isEnded(Subject subject) {
        return find(subject).filter(run -> !run.status().ended()).isEmpty();
    }

    /** Lets an agent do some steps, and does not always wait until it has. */
    private void work() {
        var subject = any();
        int more = 1 + random.nextInt(3);
        subject.plan.allow(subject.plan.allowed() + more);
        boolean patient = random.nextInt(3) > 0;
        diary.add("let %s on to step %d%s"
                .formatted(subject.id, subject.plan.allowed(), patient ? "" : ", and do not wait"));
        if (patient) idle(subject);
    }

    private void idle(Subject subject) {
        await().atMost(SOON).pollInterval(Duration.ofMillis(10)).until(() -> subject.plan.isIdle() || isEnded(subject));
    }

    private void killSomething() {
        var subject = any();
        var began = find(subject).flatMap(run -> run.latest().began());
        if (began.isEmpty()) return;
        boolean both = random.nextInt(3) > 0;
        diary.add("kill %s of %s".formatted(both ? "perch and agent" : "agent", subject.id));
        if (both) kill(began.get().perch());
        kill(began.get().agent());
    }

    private static void kill(ProcessId process) {
        if (Processes.alive(process)) ProcessTree.kill(process);
    }

    private void restart() {
        diary.add("close and open");
        service.close();
        service = open();
    }

    private void pause() {
        diary.add("pause");
        assertThat(service.pause().remarks()).noneMatch(remark -> remark.failed());
        service.resume();
    }

    private void prune() throws IOException {
        diary.add("prune");
        for (var subject : subjects) { // what ends between our look and the pruning is nobody's to compare
            idle(subject);
            if (subject.plan.done() >= subject.plan.steps())
                await().atMost(SOON).until(() -> isEnded(subject));
        }
        var before = new HashMap<RunId, Map<String, String>>();
        for (var subject : subjects)
            if (isEnded(subject) && isThere(subject)) before.put(subject.id, files(home.worktree(subject.id)));
        var result = service.maintenance().prune(EVERYTHING);
        for (var run : result.worktrees()) { // of one whose files were gone already, what was there then still counts
            var files = before.get(run.id());
            if (files != null) subject(run.id()).taken = Optional.of(files);
        }
        for (var run : result.runs()) {
            diary.add("pruned altogether: " + run.id());
            witness.forgotten(run.id());
            subject(run.id()).taken = Optional.empty();
        }
    }

    private Subject subject(RunId id) {
        return subjects.stream()
                .filter(subject -> subject.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    private boolean isThere(Subject subject) {
        return Files.isDirectory(home.worktree(subject.id), LinkOption.NOFOLLOW_LINKS);
    }

    private void restore() throws IOException {
        var subject = any();
        var run = find(subject);
        if (run.isEmpty() || !run.get().status().ended() || !isLooked(run.get())) return;
        diary.add("restore " + subject.id);
        bringBack(subject, run.get());
    }

    /** What comes back is what was there when it was taken away. */
    private void bringBack(Subject subject, RunRecord run) throws IOException {
        service.runWorktrees().restore(run, Optional.empty(), Optional.empty());
        if (subject.taken.isEmpty()) return;
        assertThat(files(home.worktree(subject.id)))
                .as("%s, brought back; %s", subject.id, service.events(run))
                .isEqualTo(subject.taken.get());
        subject.taken = Optional.empty();
    }

    private static boolean isLooked(RunRecord run) {
        return run.work().orElseThrow().inspectedAttempt() >= run.latest().n();
    }

    /** The checkout goes on: with a change of its own that is in everybody's way, or with the work of an agent. */
    private void advance() throws IOException {
        if (random.nextBoolean()) {
            diary.add("a commit on main");
            Files.writeString(repo.resolve("a.txt"), "main " + random.nextInt() + "\n");
            git(repo, "commit", "-qam", "main");
            return;
        }
        var subject = any();
        diary.add("merge " + subject.id);
        if (!tryGit(repo, "merge", "-q", "--no-edit", "roost/" + subject.id).ok()) tryGit(repo, "merge", "--abort");
    }

    /** An agent whose objects are swept away while it writes them has only itself to blame; a checkpoint has not. */
    private void collectGarbage() {
        subjects.forEach(this::idle);
        diary.add("git gc --prune=now, git worktree prune");
        collect();
        git(repo, "worktree", "prune");
    }

    /** It fails, and does no harm, while a worktree is being added. */
    private void collect() {
        await().atMost(SOON).until(() -> tryGit(repo, "gc", "-q", "--prune=now").ok());
    }

    /** Somebody removes a worktree by hand; everything in it had been kept. */
    private void takeAway() throws IOException {
        var subject = any();
        var run = find(subject);
        if (run.isEmpty() || !isThere(subject)) return;
        if (run.get().status().ended()) {
            if (!isLooked(run.get())) return;
            diary.add("rm -rf the worktree of %s, which has ended".formatted(subject.id));
            subject.taken = Optional.of(withoutIgnored(files(home.worktree(subject.id))));
            remove(home.worktree(subject.id));
        } else {
            idle(subject);
            var began = find(subject).orElseThrow().latest().began();
            if (began.isEmpty()
                    || isEnded(subject)
                    || !Processes.alive(began.get().agent())) return;
            service.pause();
            service.resume();
            diary.add("kill %s, rm -rf its worktree, close and open".formatted(subject.id));
            service.close();
            kill(began.get().perch());
            kill(began.get().agent());
            var attempt = run.get().latest().n() + 1;
            subject.taken = Optional.of(withoutIgnored(files(home.worktree(subject.id))));
            remove(home.worktree(subject.id));
            if (random.nextBoolean()) git(repo, "worktree", "prune");
            service = open();
            begunAgain(subject, attempt);
        }
    }

    /** Its next attempt finds what was there. */
    private void begunAgain(Subject subject, int attempt) throws IOException {
        await().atMost(SOON).until(() -> Files.exists(subject.plan.begin(attempt)) || isEnded(subject));
        if (!Files.exists(subject.plan.begin(attempt))) return; // lost once too often: it is brought back later
        assertThat(files(subject.plan.begin(attempt)))
                .as("%s, attempt %d", subject.id, attempt)
                .isEqualTo(subject.taken.orElseThrow());
        subject.taken = Optional.empty();
    }

    private void lookAtKept() {
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isPresent()) witness.look(subject.id, service.events(run.get()));
        }
    }

    /** Everybody comes to an end; then all that was ever kept is still there, and comes back byte for byte. */
    private void finish() throws IOException {
        diary.add("finish");
        for (var subject : subjects) subject.plan.allow(subject.plan.steps());
        for (var subject : subjects) {
            await().atMost(SOON).until(() -> isEnded(subject));
            await().atMost(SOON)
                    .until(() -> find(subject).filter(run -> !isLooked(run)).isEmpty());
        }
        lookAtKept();
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isPresent()) lookAtEnded(subject, run.get());
        }
        diary.add("prune and restore all");
        prune();
        collect();
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isPresent()) bringBack(subject, run.get());
        }
        witness.nothingIsOrphaned(home.worktrees());
        witness.allIsReadable();
    }

    private void lookAtEnded(Subject subject, RunRecord run) throws IOException {
        assertThat(run.work().orElseThrow().landing())
                .as("landing of %s", subject.id)
                .isPresent();
        if (subject.taken.isPresent()) bringBack(subject, run); // that there was nothing to keep any more is no news
        else assertThat(run.work().orElseThrow().trouble()).isEmpty();
        assertThat(home.worktree(subject.id))
                .as("%s: %s", run, service.events(run))
                .exists();
        var there = files(home.worktree(subject.id));
        if (service.output(run, OutputPage.Request.now()).result().equals(Optional.of("finished")))
            assertThat(there)
                    .as("%s: what its agent saw last", subject.id)
                    .isEqualTo(files(subject.plan.state(subject.plan.steps())));
        var copy =
                service.runWorktrees().restore(run, Optional.of(scratch.resolve("copy-" + ++copies)), Optional.empty());
        assertThat(withoutIgnored(files(copy)))
                .as("%s, from its last checkpoint", subject.id)
                .isEqualTo(withoutIgnored(there));
    }

    @Override
    public void close() {
        service.close();
        RunProcess.in(home).forEach(process -> ProcessTree.kill(process.id()));
    }
}
