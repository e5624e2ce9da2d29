package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Permissions;
import dev.roost.agents.Prices;
import dev.roost.agents.Profile;
import dev.roost.agents.Task;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import dev.roost.supervisor.Cgroups;
import dev.roost.supervisor.Exits;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.SystemClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One random day of agents in worktrees of one repository, with everything that may happen to them. */
final class KeepSchedule implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);
    private static final Pruning EVERYTHING =
            new Pruning(Duration.ZERO.minusHours(1), OptionalLong.empty(), true, false);
    private static final Map<String, String> GIT = Map.of(
            "GIT_AUTHOR_NAME", "t",
            "GIT_AUTHOR_EMAIL", "t@example.org",
            "GIT_COMMITTER_NAME", "t",
            "GIT_COMMITTER_EMAIL", "t@example.org",
            "GIT_EDITOR", "true");

    /** A run, its plan, and what its files must be once they are brought back, where somebody took them away. */
    private static final class Subject {
        final RunId id;
        final KeepPlan plan;
        Optional<Map<String, String>> taken = Optional.empty();

        Subject(RunId id, KeepPlan plan) {
            this.id = id;
            this.plan = plan;
        }
    }

    private final Random random;
    private final Path scratch;
    private final Path repo;
    private final Home home;
    private final Config config;
    private final List<Subject> subjects = new ArrayList<>();
    private final List<String> diary = new ArrayList<>();
    /** What each checkpoint held when it was made. */
    private final Map<RunId, Map<String, Set<String>>> held = new HashMap<>();

    private House house;
    private int copies;

    KeepSchedule(long seed, Path scratch) throws IOException {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.scratch = scratch;
        this.repo = Files.createDirectory(scratch.resolve("repo"));
        this.home = Home.open(scratch.resolve("home"));
        git(repo, "init", "-q", "-b", "main");
        Files.writeString(repo.resolve("a.txt"), "one\n");
        Files.writeString(repo.resolve("b.txt"), "two\n");
        Files.writeString(repo.resolve(".gitignore"), "*.secret\n");
        Files.writeString(repo.resolve(".gitattributes"), "*.txt text=auto\n");
        git(repo, "add", "-A");
        git(repo, "commit", "-qm", "first");
        this.config = new Config(
                        Caps.NONE,
                        1,
                        Budget.DEFAULT_MAX_OUTPUT,
                        Map.of(
                                "worker",
                                new Config.NamedAgent(
                                        new Profile(
                                                "worker",
                                                "claude",
                                                List.of("sh", "-c", ScriptedAgents.SPEAKS + KeepPlan.AGENT, "agent"),
                                                Optional.empty(),
                                                List.of(),
                                                Permissions.SAFE,
                                                Optional.empty(),
                                                Map.of()),
                                        Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT))),
                        Optional.empty(),
                        new Config.Asking(false, Optional.empty()),
                        Duration.ofMinutes(10),
                        Optional.empty(),
                        DayBudget.NONE,
                        3,
                        Prices.NONE)
                .with(new WorkPolicy(
                        WorkPolicy.Making.NOTHING, Duration.ofMillis(150), Optional.empty(), 50L << 20, false));
        this.house = open();
    }

    private House open() {
        return House.open(home, config, new SystemClock(), Cgroups.open(), Exits.open());
    }

    List<String> diary() {
        return diary;
    }

    void play() throws IOException {
        submit();
        int steps = 10 + random.nextInt(8);
        for (int i = 0; i < steps; i++) {
            step();
            witness();
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
        var plan = KeepPlan.write(scratch.resolve("plan-" + subjects.size()), random);
        var environment = new HashMap<>(GIT);
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", scratch.toString());
        environment.put("PLAN", plan.dir().toString());
        var run = house.start(new StartRequest(
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

    private Optional<Run> find(Subject subject) {
        try {
            return Optional.of(house.find(subject.id.text(), OPERATOR));
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
        house.close();
        house = open();
    }

    private void pause() {
        diary.add("pause");
        assertThat(house.pause().remarks()).noneMatch(remark -> remark.failed());
        house.resume();
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
        var pruned = house.upkeep().prune(EVERYTHING);
        for (var run : pruned.worktrees()) { // of one whose files were gone already, what was there then still counts
            var files = before.get(run.id());
            if (files != null) taken(run.id(), files);
        }
        for (var run : pruned.runs()) {
            diary.add("pruned altogether: " + run.id());
            forgotten(run.id());
        }
    }

    /** What is merged, or was never more than its base, needs no ref of ours; but it must be there. */
    private void forgotten(RunId id) {
        var last = held.getOrDefault(id, Map.of()).entrySet().stream()
                .reduce((_, second) -> second)
                .map(Map.Entry::getValue)
                .orElse(Set.of());
        held.put(id, Map.of("pruned", last));
        subjects.stream().filter(subject -> subject.id.equals(id)).forEach(subject -> subject.taken = Optional.empty());
    }

    private void taken(RunId id, Map<String, String> files) {
        for (var subject : subjects) if (subject.id.equals(id)) subject.taken = Optional.of(files);
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
    private void bringBack(Subject subject, Run run) throws IOException {
        house.code().restore(run, Optional.empty(), Optional.empty());
        if (subject.taken.isEmpty()) return;
        assertThat(files(home.worktree(subject.id)))
                .as("%s, brought back; %s", subject.id, house.events(run))
                .isEqualTo(subject.taken.get());
        subject.taken = Optional.empty();
    }

    private static boolean isLooked(Run run) {
        return run.work().orElseThrow().looked() >= run.latest().n();
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
            taken(subject.id, withoutIgnored(files(home.worktree(subject.id))));
            remove(home.worktree(subject.id));
        } else {
            idle(subject);
            var began = find(subject).orElseThrow().latest().began();
            if (began.isEmpty()
                    || isEnded(subject)
                    || !Processes.alive(began.get().agent())) return;
            house.pause();
            house.resume();
            diary.add("kill %s, rm -rf its worktree, close and open".formatted(subject.id));
            house.close();
            kill(began.get().perch());
            kill(began.get().agent());
            var attempt = run.get().latest().n() + 1;
            taken(subject.id, withoutIgnored(files(home.worktree(subject.id))));
            remove(home.worktree(subject.id));
            if (random.nextBoolean()) git(repo, "worktree", "prune");
            house = open();
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

    private static Map<String, String> withoutIgnored(Map<String, String> files) {
        var kept = new TreeMap<>(files);
        kept.keySet().removeIf(name -> name.endsWith(".secret"));
        return kept;
    }

    private static void remove(Path directory) {
        assertThat(run(Path.of("/"), List.of("rm", "-rf", directory.toString())).ok())
                .isTrue();
    }

    /** Every checkpoint that the ledger tells of is there, and what it holds is written down. */
    private void witness() {
        for (var subject : subjects) {
            var run = find(subject);
            if (run.isEmpty()) continue;
            for (var event : house.events(run.get())) {
                if (!event.kind().equals("checkpoint")) continue;
                var ref = event.text().substring(0, event.text().indexOf(' '));
                held.computeIfAbsent(subject.id, _ -> new LinkedHashMap<>()).computeIfAbsent(ref, this::blobs);
            }
        }
    }

    private Set<String> blobs(String ref) {
        var blobs = new HashSet<String>();
        git(repo, "ls-tree", "-r", "--format=%(objectname)", ref).lines().forEach(blobs::add);
        return blobs;
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
        witness();
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
        nothingIsOrphaned();
        readable();
    }

    private void lookAtEnded(Subject subject, Run run) throws IOException {
        assertThat(run.work().orElseThrow().landing())
                .as("landing of %s", subject.id)
                .isPresent();
        if (subject.taken.isPresent()) bringBack(subject, run); // that there was nothing to keep any more is no news
        else assertThat(run.work().orElseThrow().trouble()).isEmpty();
        assertThat(home.worktree(subject.id))
                .as("%s: %s", run, house.events(run))
                .exists();
        var there = files(home.worktree(subject.id));
        if (house.output(run, Output.Request.now()).result().equals(Optional.of("finished")))
            assertThat(there)
                    .as("%s: what its agent saw last", subject.id)
                    .isEqualTo(files(subject.plan.state(subject.plan.steps())));
        var copy = house.code().restore(run, Optional.of(scratch.resolve("copy-" + ++copies)), Optional.empty());
        assertThat(withoutIgnored(files(copy)))
                .as("%s, from its last checkpoint", subject.id)
                .isEqualTo(withoutIgnored(there));
    }

    private void nothingIsOrphaned() throws IOException {
        var admins = repo.resolve(".git/worktrees");
        if (!Files.isDirectory(admins)) return;
        try (var all = Files.list(admins)) {
            for (var admin : all.toList()) {
                var place = Path.of(Files.readString(admin.resolve("gitdir")).strip());
                assertThat(place).as("what %s is for", admin).exists();
                try (var inside = Files.list(admin)) {
                    assertThat(inside)
                            .noneMatch(file -> file.getFileName().toString().startsWith("roost-index-"));
                }
            }
        }
        try (var all = Files.list(home.worktrees())) {
            assertThat(all).noneMatch(place -> place.getFileName().toString().startsWith("."));
        }
        assertThat(git(repo, "fsck", "--connectivity-only")).doesNotContain("missing");
    }

    private void readable() {
        var all = held.values().stream()
                .flatMap(refs -> refs.values().stream())
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        for (var blob : all)
            assertThat(tryGit(repo, "cat-file", "-e", blob).ok())
                    .as("%s, which %s", blob, where(blob))
                    .isTrue();
    }

    private String where(String blob) {
        var found = new ArrayList<String>();
        held.forEach((run, refs) -> refs.forEach((ref, blobs) -> {
            if (blobs.contains(blob)) found.add(run + " held in " + ref);
        }));
        return String.join(", ", found);
    }

    /** Names and contents, git's own pointer not among them. */
    private static Map<String, String> files(Path root) throws IOException {
        var found = new TreeMap<String, String>();
        try (var all = Files.walk(root)) {
            for (var file : (Iterable<Path>) all::iterator) {
                var name = root.relativize(file).toString();
                if (name.equals(".git") || Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) continue;
                var content = Files.isSymbolicLink(file)
                        ? "-> " + Files.readSymbolicLink(file)
                        : (Files.isExecutable(file) ? "program " : "")
                                + Files.readString(file, StandardCharsets.ISO_8859_1);
                found.put(name, content);
            }
        }
        return found;
    }

    private record Said(int exit, String text) {
        boolean ok() {
            return exit == 0;
        }
    }

    private static Said run(Path at, List<String> argv) {
        try {
            var builder = new ProcessBuilder(argv).directory(at.toFile()).redirectErrorStream(true);
            builder.environment().putAll(GIT);
            var process = builder.start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Said(process.waitFor(), text);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Said tryGit(Path at, String... words) {
        var argv = new ArrayList<>(List.of("git"));
        argv.addAll(List.of(words));
        return run(at, argv);
    }

    private static String git(Path at, String... words) {
        var said = tryGit(at, words);
        assertThat(said.ok()).as("git %s: %s", List.of(words), said.text()).isTrue();
        return said.text();
    }

    @Override
    public void close() {
        house.close();
        Living.in(home).forEach(process -> ProcessTree.kill(process.id()));
    }
}
