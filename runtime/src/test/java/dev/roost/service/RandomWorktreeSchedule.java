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
import dev.roost.service.testing.CheckpointInspector;
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

/** One random schedule of agents in worktrees of one repository: steps, kills, restarts, pauses, prunes and merges. */
final class RandomWorktreeSchedule implements ScheduleRunner.Day {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);

    private static final PruneRequest EVERYTHING =
            new PruneRequest(Duration.ZERO.minusHours(1), OptionalLong.empty(), true, false, false, false);

    /** A run, its plan, and, if its worktree was removed, the files that a restore must produce. */
    private static final class Subject {
        final RunId id;
        final WorktreeAgentPlan plan;
        Optional<Map<String, String>> removedFiles = Optional.empty();

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

    private final List<String> log = new ArrayList<>();
    private final CheckpointInspector checkpoints;

    private RoostService service;
    private int copies;

    RandomWorktreeSchedule(long seed, Path scratch) throws IOException {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.scratch = scratch;
        this.repo = Files.createDirectory(scratch.resolve("repo"));
        this.checkpoints = new CheckpointInspector(repo);
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
    public List<String> log() {
        return log;
    }

    @Override
    public void play() throws IOException {
        submit();
        int steps = 10 + random.nextInt(8);
        for (int i = 0; i < steps; i++) {
            step();
            recordCheckpoints();
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
        else removeWorktree();
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
        log.add("submit %s with %s".formatted(run.id(), plan));
    }

    private Optional<RunRecord> find(Subject subject) {
        try {
            return Optional.of(service.find(subject.id.text(), OPERATOR));
        } catch (NoSuchRun e) {
            return Optional.empty(); // the run was pruned
        }
    }

    private boolean isEnded(Subject subject) {
        return find(subject).filter(run -> !run.status().ended()).isEmpty();
    }

    /** Allows an agent some steps, and waits for them in most cases. */
    private void work() {
        var subject = any();
        int more = 1 + random.nextInt(3);
        subject.plan.allow(subject.plan.allowed() + more);
        boolean waits = random.nextInt(3) > 0;
        log.add("allow %s up to step %d%s"
                .formatted(subject.id, subject.plan.allowed(), waits ? "" : ", and do not wait"));
        if (waits) awaitIdle(subject);
    }

    private void awaitIdle(Subject subject) {
        await().atMost(SOON).pollInterval(Duration.ofMillis(10)).until(() -> subject.plan.isIdle() || isEnded(subject));
    }

    private void killSomething() {
        var subject = any();
        var began = find(subject).flatMap(run -> run.latest().began());
        if (began.isEmpty()) return;
        boolean both = random.nextInt(3) > 0;
        log.add("kill %s of %s".formatted(both ? "perch and agent" : "agent", subject.id));
        if (both) kill(began.get().perch());
        kill(began.get().agent());
    }

    private static void kill(ProcessId process) {
        if (Processes.alive(process)) ProcessTree.kill(process);
    }

    private void restart() {
        log.add("close and open");
        service.close();
        service = open();
    }

    private void pause() {
        log.add("pause");
        assertThat(service.pause().remarks()).noneMatch(remark -> remark.failed());
        service.resume();
    }

    private void prune() throws IOException {
        log.add("prune");
        for (var subject : subjects) { // a run that ends between the snapshot and the prune could not be compared
            awaitIdle(subject);
            if (subject.plan.done() >= subject.plan.steps())
                await().atMost(SOON).until(() -> isEnded(subject));
        }
        var before = new HashMap<RunId, Map<String, String>>();
        for (var subject : subjects)
            if (isEnded(subject) && isThere(subject)) before.put(subject.id, files(home.worktree(subject.id)));
        var result = service.maintenance().prune(EVERYTHING);
        for (var run : result.worktrees()) { // a worktree removed earlier keeps its earlier snapshot
            var files = before.get(run.id());
            if (files != null) subject(run.id()).removedFiles = Optional.of(files);
        }
        for (var run : result.runs()) {
            log.add("pruned altogether: " + run.id());
            checkpoints.runPruned(run.id());
            subject(run.id()).removedFiles = Optional.empty();
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
        if (run.isEmpty() || !run.get().status().ended() || !isInspected(run.get())) return;
        log.add("restore " + subject.id);
        restoreAndCompare(subject, run.get());
    }

    /** Restores the worktree, which must have the same files as before its removal. */
    private void restoreAndCompare(Subject subject, RunRecord run) throws IOException {
        service.runWorktrees().restore(run, Optional.empty(), Optional.empty());
        if (subject.removedFiles.isEmpty()) return;
        assertThat(files(home.worktree(subject.id)))
                .as("%s, restored; %s", subject.id, service.events(run))
                .isEqualTo(subject.removedFiles.get());
        subject.removedFiles = Optional.empty();
    }

    private static boolean isInspected(RunRecord run) {
        return run.work().orElseThrow().inspectedAttempt() >= run.latest().n();
    }

    /** Advances main: with a conflicting commit, or with a merge of an agent's branch. */
    private void advance() throws IOException {
        if (random.nextBoolean()) {
            log.add("a commit on main");
            Files.writeString(repo.resolve("a.txt"), "main " + random.nextInt() + "\n");
            git(repo, "commit", "-qam", "main");
            return;
        }
        var subject = any();
        log.add("merge " + subject.id);
        if (!tryGit(repo, "merge", "-q", "--no-edit", "roost/" + subject.id).ok()) tryGit(repo, "merge", "--abort");
    }

    /** Runs git gc, while all agents are idle: it may break an agent's git command, but must not break a checkpoint. */
    private void collectGarbage() {
        subjects.forEach(this::awaitIdle);
        log.add("git gc --prune=now, git worktree prune");
        gc();
        git(repo, "worktree", "prune");
    }

    /** Repeats git gc until it succeeds: it fails harmlessly while a worktree is being added. */
    private void gc() {
        await().atMost(SOON).until(() -> tryGit(repo, "gc", "-q", "--prune=now").ok());
    }

    /** Removes a worktree by hand, after a checkpoint of all its files. */
    private void removeWorktree() throws IOException {
        var subject = any();
        var run = find(subject);
        if (run.isEmpty() || !isThere(subject)) return;
        if (run.get().status().ended()) {
            if (!isInspected(run.get())) return;
            log.add("rm -rf the worktree of %s, which has ended".formatted(subject.id));
            subject.removedFiles = Optional.of(withoutIgnored(files(home.worktree(subject.id))));
            remove(home.worktree(subject.id));
        } else {
            awaitIdle(subject);
            var began = find(subject).orElseThrow().latest().began();
            if (began.isEmpty()
                    || isEnded(subject)
                    || !Processes.alive(began.get().agent())) return;
            service.pause();
            service.resume();
            log.add("kill %s, rm -rf its worktree, close and open".formatted(subject.id));
            service.close();
            kill(began.get().perch());
            kill(began.get().agent());
            var attempt = run.get().latest().n() + 1;
            subject.removedFiles = Optional.of(withoutIgnored(files(home.worktree(subject.id))));
            remove(home.worktree(subject.id));
            if (random.nextBoolean()) git(repo, "worktree", "prune");
            service = open();
            checkNextAttempt(subject, attempt);
        }
    }

    /** The next attempt finds the restored files. */
    private void checkNextAttempt(Subject subject, int attempt) throws IOException {
        await().atMost(SOON).until(() -> Files.exists(subject.plan.begin(attempt)) || isEnded(subject));
        if (!Files.exists(subject.plan.begin(attempt))) return; // the run was lost too often; finish() restores it
        assertThat(files(subject.plan.begin(attempt)))
                .as("%s, attempt %d", subject.id, attempt)
                .isEqualTo(subject.removedFiles.orElseThrow());
        subject.removedFiles = Optional.empty();
    }

    private void recordCheckpoints() {
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isPresent()) checkpoints.recordCheckpoints(subject.id, service.events(run.get()));
        }
    }

    /** Lets every run end; then every checkpoint is still readable, and every worktree is restored byte for byte. */
    private void finish() throws IOException {
        log.add("finish");
        for (var subject : subjects) subject.plan.allow(subject.plan.steps());
        for (var subject : subjects) {
            await().atMost(SOON).until(() -> isEnded(subject));
            await().atMost(SOON)
                    .until(() -> find(subject).filter(run -> !isInspected(run)).isEmpty());
        }
        recordCheckpoints();
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isPresent()) checkEnded(subject, run.get());
        }
        log.add("prune and restore all");
        prune();
        gc();
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isPresent()) restoreAndCompare(subject, run.get());
        }
        checkpoints.nothingIsOrphaned(home.worktrees());
        checkpoints.allIsReadable();
    }

    private void checkEnded(Subject subject, RunRecord run) throws IOException {
        assertThat(run.work().orElseThrow().landing())
                .as("landing of %s", subject.id)
                .isPresent();
        if (subject.removedFiles.isPresent())
            restoreAndCompare(subject, run); // its trouble, that there was nothing to checkpoint, is expected
        else assertThat(run.work().orElseThrow().trouble()).isEmpty();
        assertThat(home.worktree(subject.id))
                .as("%s: %s", run, service.events(run))
                .exists();
        var lastFiles = files(home.worktree(subject.id));
        if (service.output(run, OutputPage.Request.now()).result().equals(Optional.of("finished")))
            assertThat(lastFiles)
                    .as("%s: the last state of its agent", subject.id)
                    .isEqualTo(files(subject.plan.state(subject.plan.steps())));
        var copy =
                service.runWorktrees().restore(run, Optional.of(scratch.resolve("copy-" + ++copies)), Optional.empty());
        assertThat(withoutIgnored(files(copy)))
                .as("%s, from its last checkpoint", subject.id)
                .isEqualTo(withoutIgnored(lastFiles));
    }

    @Override
    public void close() {
        service.close();
        RunProcess.in(home).forEach(process -> ProcessTree.kill(process.id()));
    }
}
