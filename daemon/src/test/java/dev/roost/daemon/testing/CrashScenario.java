package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run from its submission until it is pruned, as a session and its operator see it, under a daemon that dies now and then:
 * each promise is looked at where it is due.
 */
public final class CrashScenario {

    private static final String SESSION = "parent";
    private static final Set<String> DUTIES = Set.of("ledger", "worktrees", "run directories", "leftovers");
    private static final String AGENT = """
            echo x >> "$SCRATCH/count-$ROOST_RUN_ID"; cat given prepared; echo work > work; sleep 1000 & echo done
            """;

    private final Path repository;
    private final Path scratch;
    private final FaultInjectedDaemon daemon;

    CrashScenario(Path scratch, List<CrashPoint> crashes) throws Exception {
        this.scratch = Files.createDirectories(scratch);
        this.repository = Files.createDirectory(scratch.resolve("repository"));
        git("init", "-q", "-b", "main");
        Files.writeString(repository.resolve(".gitignore"), "given\nprepared\n");
        git("add", ".");
        git("-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-qm", "first");
        Files.writeString(repository.resolve("given"), "given\n");
        var config = Files.createDirectories(scratch.resolve("config/roost")).resolve("config.toml");
        Files.writeString(config, "[worktree]\nsetup = 'echo prepared >> prepared'\ncopy = ['given']\n");
        this.daemon = new FaultInjectedDaemon(scratch, crashes);
    }

    public static void play(Path scratch, List<CrashPoint> crashes) throws Exception {
        var life = new CrashScenario(scratch, crashes);
        try {
            life.live();
            assertThat(life.daemon.died()).as("every crash happened").isEqualTo(crashes);
        } finally {
            life.daemon.end();
        }
    }

    private void live() throws Exception {
        daemon.hook("SessionStart", SESSION, new ArrayList<>());
        var run = submit();
        end(run);
        tell(run);
        prune(run);
        examine();
    }

    /** A request without an answer was executed completely or not at all; in the latter case it is repeated. */
    private String submit() throws Exception {
        while (true) {
            var answer = daemon.ask("start", task());
            if (answer.isPresent()) return answer.get().path("run_id").asString();
            var runs = runs();
            boolean accepted = daemon.died().stream().anyMatch(CrashPoint::isAccepted);
            assertThat(directories()).as("a directory for each row").isEqualTo(runs);
            assertThat(runs).hasSize(accepted ? 1 : 0);
            if (accepted) return runs.iterator().next();
        }
    }

    private void end(String run) throws Exception {
        var output = daemon.answer("output", operator(run).put("block", true).put("timeout_ms", "20s"));
        assertThat(output.path("timed_out").asBoolean()).as("the run ends").isFalse();
        assertThat(output.path("status").asString()).as(output::toPrettyString).isEqualTo("completed");
        assertThat(output.path("result").asString()).isEqualTo("given\nprepared\ndone\n");
        assertThat(scratch.resolve("count-" + run))
                .as("its agent was started once")
                .hasContent("x\n");
        assertThat(runs()).as("there is no other run").containsExactly(run);
        assertThat(daemon.answer("show", operator(run)).path("notices").size()).isEqualTo(1);
        assertThat(RunCookieScan.alive(daemon.home())).as("no process is left").isEmpty();
        assertThat(daemon.home().resolve("worktrees").resolve(run).resolve("work"))
                .hasContent("work\n");
        examine();
    }

    /** Continues its session turn by turn until the notice is acknowledged. */
    private void tell(String run) throws Exception {
        int told = 0;
        int turns = 0;
        do {
            var printed = new ArrayList<String>();
            daemon.hook("UserPromptSubmit", SESSION, printed);
            for (boolean heard = false; !heard; ) heard = daemon.hook("PostToolUse", SESSION, printed);
            assertThat(printed)
                    .as("at most one offer a turn")
                    .hasSizeLessThan(2)
                    .allMatch(one -> one.contains(run));
            told += printed.size();
            assertThat(++turns).as("turns until it is acknowledged").isLessThan(4);
        } while (!daemon.answer("inbox", operator()).path("notices").isEmpty());
        assertThat(told).as("the notice was offered").isPositive();
        var later = new ArrayList<String>();
        daemon.hook("UserPromptSubmit", SESSION, later);
        assertThat(later).as("an acknowledged notice is not offered again").isEmpty();
        assertThat(daemon.answer("show", operator(run)).path("notices").size()).isEqualTo(1);
    }

    /** The run is deleted, or it exists and is readable. */
    private void prune(String run) throws Exception {
        var wish = operator()
                .put("older_than", "0s")
                .put("unread", true)
                .put("unmerged", true)
                .put("kept", true);
        while (daemon.ask("prune", wish).isEmpty()) {
            for (var one : runs())
                assertThat(daemon.answer("output", operator(one)).path("result").asString())
                        .isEqualTo("given\nprepared\ndone\n");
        }
        assertThat(runs()).isEmpty();
        assertThat(directories()).isEmpty();
        assertThat(daemon.home().resolve("worktrees").resolve(run)).doesNotExist();
        var refs =
                git("for-each-ref", "--format=%(refname)", "refs/roost").lines().toList();
        assertThat(refs).as("its files are kept").isNotEmpty();
        assertThat(refs)
                .anyMatch(ref -> git("ls-tree", "-r", "--name-only", ref).contains("work"));
    }

    private void examine() throws Exception {
        for (var finding : daemon.answer("doctor", operator()).path("findings"))
            if (DUTIES.contains(finding.path("what").asString()))
                assertThat(finding.path("level").asString())
                        .as(finding::toString)
                        .isEqualTo("good");
    }

    private Set<String> runs() throws Exception {
        var runs = new TreeSet<String>();
        for (JsonNode run :
                daemon.answer("list", operator().put("filter", "all")).path("runs"))
            runs.add(run.path("run_id").asString());
        return runs;
    }

    private Set<String> directories() throws IOException {
        var found = new TreeSet<String>();
        try (var all = Files.newDirectoryStream(daemon.home().resolve("runs"))) {
            for (var one : all) found.add(one.getFileName().toString());
        }
        return found;
    }

    private static ObjectNode operator() {
        return DaemonFixture.JSON
                .createObjectNode()
                .put("caller", "cli:operator")
                .put("operator", true);
    }

    private static ObjectNode operator(String run) {
        return operator().put("run_id", run);
    }

    private ObjectNode task() {
        var task = DaemonFixture.JSON
                .createObjectNode()
                .put("caller", "claude:" + SESSION)
                .put("cwd", repository.toString())
                .put("worktree", true);
        task.putObject("env").put("PATH", System.getenv("PATH")).put("SCRATCH", scratch.toString());
        task.putArray("argv").add("sh").add("-c").add(AGENT);
        return task;
    }

    private String git(String... words) {
        var all = new ArrayList<>(List.of("git", "-C", repository.toString()));
        all.addAll(List.of(words));
        try {
            var git = new ProcessBuilder(all).redirectErrorStream(true).start();
            var said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(git.waitFor()).as(said).isZero();
            return said;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
