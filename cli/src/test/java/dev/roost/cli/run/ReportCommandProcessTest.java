package dev.roost.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import dev.roost.cli.testing.OneCommitRepository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Report, pause, restore and prune: the state of runs and of their code. */
class ReportCommandProcessTest extends CliFixture {

    private static final String WAIT = "while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; ";
    private static final String HALF = "echo '# half' >>app.py; echo new >new.py; echo x >debug.log; ";

    OneCommitRepository oneCommitRepository;

    @BeforeEach
    void makeRepository() throws Exception {
        oneCommitRepository = OneCommitRepository.in(scratch.resolve("shop"));
    }

    /** Starts a run in a worktree. */
    private String begin(String name, String script) {
        return roost(
                        "run",
                        "--worktree",
                        "--name",
                        name,
                        "--cwd",
                        oneCommitRepository.path().toString(),
                        "--",
                        "sh",
                        "-c",
                        script)
                .ok()
                .out()
                .strip();
    }

    private String finish(String name, String script) {
        var id = begin(name, script);
        roost("output", "--block", id).ok();
        awaitRead(id);
        return id;
    }

    /** Waits until the agent has written its file and the run has a pid. */
    private JsonNode atWork(String id, String sign) {
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(scratch.resolve(sign)));
        return roost("show", id, "--json").ok().json();
    }

    private Path worktree(String id) {
        return home.resolve("worktrees").resolve(id);
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(process -> {
            process.destroyForcibly();
            process.onExit().join();
        });
    }

    /** Kills the daemon and starts one that detects a reboot. */
    private void nightWithRestart() throws Exception {
        kill(daemonPid());
        Files.writeString(home.resolve("alive"), "00000000-0000-0000-0000-000000000000");
    }

    private static List<JsonNode> all(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false).toList();
    }

    private static JsonNode named(JsonNode list, String name) {
        return all(list).stream()
                .filter(run -> run.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void the_report_shows_what_happened_to_each_run_and_how_to_restore_its_code() throws Exception {
        var cart = finish("cart", "echo 1 >cart.py; git add -A; git commit -qm cart; echo done");
        var audit = finish("audit", "echo nothing to change");
        var flaky = begin("flaky", HALF + "touch \"$SCRATCH/flaky\"; sleep 1000");
        var nightly = begin("nightly", "touch \"$SCRATCH/nightly\"; " + WAIT + "echo done");
        atWork(nightly, "nightly");
        long agent = atWork(flaky, "flaky").path("pid").asLong();
        long perch = ProcessHandle.of(agent)
                .flatMap(ProcessHandle::parent)
                .orElseThrow()
                .pid();
        nightWithRestart();
        kill(perch);
        kill(agent);

        // the daemon writes checkpoints of lost runs shortly after its start
        await().atMost(Duration.ofSeconds(60))
                .until(() -> roost("report").ok().out().contains("get it: roost restore " + flaky));
        var page = roost("report").ok().out();

        assertThat(page)
                .contains("the machine restarted")
                .containsPattern("✗ flaky +LOST, abandoned perch_lost +uncommitted, 2 files")
                .contains("get it: roost restore " + flaky + "   (refs/roost/" + flaky + "/1)")
                .containsPattern("▸ nightly +still running +nothing")
                .containsPattern("✓ cart +completed [0-9:]+ +committed, 1 ahead")
                .containsPattern("✓ audit +completed [0-9:]+ +nothing")
                .contains("git worktree add --detach DIR refs/roost/RUN/N")
                .doesNotContain("restore " + audit)
                .doesNotContain("restore " + nightly);
        assertThat(page.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));

        var report = roost("report", "--json").ok().json();
        var pause = report.path("pauses").get(0);
        assertThat(report.path("pauses").size()).isEqualTo(1);
        assertThat(pause.path("kind").asString()).isEqualTo("reboot");
        assertThat(named(pause.path("runs"), "flaky").path("fate").asString()).isEqualTo("lost");
        assertThat(named(pause.path("runs"), "nightly").path("fate").asString()).isEqualTo("live");
        assertThat(all(pause.path("runs"))).hasSize(2);
        assertThat(named(report.path("runs"), "cart").path("landing").asString())
                .isEqualTo("committed");
        var git = new ArrayList<String>();
        named(report.path("runs"), "cart").path("git").forEach(word -> git.add(word.asString()));
        assertThat(git).startsWith("git", "-C").contains("worktree", "add").endsWith("refs/roost/" + cart + "/1");
        assertThat(roost("report", "--owner", "claude:other").ok().out()).contains("No activity since");

        touch("go");
        roost("output", "--block", nightly).ok();
    }

    @Test
    void ps_shows_the_landing_of_each_run() {
        finish(
                "cart",
                "echo 1 >cart.py; git add -A; git commit -qm one; echo 2 >cart.py; git commit -qam two; echo more >x");
        finish("draft", HALF);
        finish("audit", "echo nothing to change");

        assertThat(roost("ps", "--all").ok().out())
                .contains("CODE")
                .containsPattern("cart .*committed \\+2 ~1 ")
                .containsPattern("draft .*uncommitted ~2 ")
                .containsPattern("audit .*nothing ");
        roost("run", "--wait", "--", "true").ok();
        assertThat(roost("ps", "--all", "--owner", "claude:other").ok().out()).doesNotContain("CODE");
    }

    @Test
    void restore_recreates_the_worktree_or_a_copy_and_overwrites_nothing() throws Exception {
        var draft = finish("draft", HALF);

        assertThat(roost("restore", "draft").ok().out().strip())
                .isEqualTo(worktree(draft).toString());
        var aside = scratch.resolve("aside");
        assertThat(roost("restore", "draft", "--to", aside.toString())
                        .ok()
                        .out()
                        .strip())
                .isEqualTo(aside.toString());
        assertThat(aside.resolve("app.py")).hasContent("print('hello')\n# half\n");
        assertThat(aside.resolve("new.py")).hasContent("new\n");

        var refused = roost("restore", "draft", "--to", aside.toString());
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("is there already and not empty").contains("Name a directory");
        var shaped = roost("restore", "draft", "--to", aside.toString(), "--json")
                .json()
                .path("error");
        assertThat(shaped.path("code").asString()).isEqualTo("not_empty");

        roost("prune", "--older-than", "1ms").ok();
        assertThat(worktree(draft)).doesNotExist();
        assertThat(roost("show", draft).ok().out()).contains("(removed)");
        assertThat(roost("restore", "draft", "--json")
                        .ok()
                        .json()
                        .path("restored_to")
                        .asString())
                .isEqualTo(worktree(draft).toString());
        assertThat(worktree(draft).resolve("app.py")).hasContent("print('hello')\n# half\n");
        assertThat(worktree(draft).resolve("new.py")).hasContent("new\n");
        assertThat(worktree(draft).resolve("debug.log")).hasContent("x\n");
    }

    @Test
    void a_run_without_a_worktree_cannot_be_restored() {
        var plain = roost("run", "--", "true").ok().out().strip();
        roost("output", "--block", plain).ok();
        var refused = roost("restore", plain);
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("had no worktree of its own");
        assertThat(roost("restore", "nobody").exit()).isEqualTo(3);
    }

    @Test
    void a_pause_writes_checkpoints_and_its_end_is_reported() throws Exception {
        assertThat(roost("resume").ok().out()).contains("No pause was announced.");
        assertThat(roost("pause").ok().out()).contains("No worktree is in use");
        roost("resume").ok();
        var draft = begin("draft", HALF + "touch \"$SCRATCH/draft\"; " + WAIT + "echo done");
        atWork(draft, "draft");

        assertThat(roost("pause").ok().out()).contains("✓ 1 of 1 worktrees have a checkpoint");
        assertThat(oneCommitRepository.git("show", "refs/roost/" + draft + "/1:new.py"))
                .isEqualTo("new");
        assertThat(roost("report").ok().out()).contains("and has not ended (roost resume)");
        assertThat(roost("resume").ok().out())
                .contains("a pause that was announced")
                .contains("1 of 1 worktrees have a checkpoint")
                .containsPattern("▸ draft +still running");
        var inside = coldWith("", java.util.Map.of("ROOST_OWNER", "claude:other"), "pause");
        assertThat(inside.exit()).isEqualTo(5);

        touch("go");
        roost("output", "--block", draft).ok();
    }

    @Test
    void a_failed_hook_fails_the_pause_and_is_in_the_report() throws Exception {
        Files.createDirectories(scratch.resolve("config/roost"));
        Files.writeString(
                scratch.resolve("config/roost/config.toml"),
                "[pause]\non_pause = [\"sh\", \"-c\", \"echo no disk; exit 3\"]\n");

        var pause = roost("pause");

        assertThat(pause.exit()).isEqualTo(1);
        assertThat(pause.out()).contains("✗ on_pause: exit status 3: no disk");
        roost("resume").ok();
        assertThat(roost("report").ok().out()).contains("! on_pause: exit status 3: no disk");
    }

    @Test
    void a_dry_run_of_prune_lists_what_would_be_removed_and_why_the_rest_is_kept() {
        var draft = finish("draft", HALF);
        var audit = finish("audit", "echo nothing to change");

        var dryRun = roost("prune", "--older-than", "1ms", "--dry-run").ok().out();

        assertThat(dryRun)
                .contains("run       " + audit + "  audit")
                .contains("worktree  " + draft + "  draft")
                .contains("merged nowhere")
                .contains("refs/roost/" + draft + "/1")
                .contains("Would remove 1 run and 2 worktrees");
        assertThat(worktree(draft)).isDirectory();
        assertThat(worktree(audit)).isDirectory();

        assertThat(roost("prune", "--older-than", "1ms").ok().out()).contains("Removed 1 run and 2 worktrees");
        assertThat(worktree(draft)).doesNotExist();
        assertThat(home.resolve("kept").resolve(draft).resolve("files/debug.log"))
                .hasContent("x\n");
        assertThat(roost("show", draft).ok().out()).contains("uncommitted, 2 files");
        assertThat(roost("show", audit).exit()).isEqualTo(3);
    }

    @Test
    void a_worktree_outside_of_a_repository_is_refused_and_creates_no_run() throws Exception {
        var plain = Files.createDirectory(scratch.resolve("plain"));
        var refused = roost("run", "--worktree", "--cwd", plain.toString(), "--", "true");
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err())
                .contains(plain + " is not in a git repository.")
                .contains("start the run without a worktree");
        var empty = new OneCommitRepository(Files.createDirectory(scratch.resolve("empty")));
        empty.git("init", "-q");
        assertThat(roost("run", "--worktree", "--cwd", empty.path().toString(), "--json", "--", "true")
                        .json()
                        .path("error")
                        .path("code")
                        .asString())
                .isEqualTo("no_commits");
        assertThat(roost("ps", "--all").ok().out()).contains("No runs yet");
    }
}
