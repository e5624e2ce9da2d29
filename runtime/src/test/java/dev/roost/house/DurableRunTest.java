package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.ledger.Event;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Budget;
import dev.roost.run.Cause;
import dev.roost.run.Exit;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import dev.roost.run.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The way of one run, from start to notice. */
@Tag("portable")
class DurableRunTest extends RealProcesses {

    @Test
    void a_command_that_prints_and_exits_0_is_completed_with_what_it_printed() {
        var run = awaitEnd(start("echo", "hello", "world"));

        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.latest().cause()).contains(Cause.FINISHED);
        assertThat(result(run)).isEqualTo("hello world\n");
        assertThat(home.run(run.id()).attempt(1).result()).hasContent("hello world\n");
        assertThat(house.inbox(Optional.of(PARENT), AS_OPERATOR))
                .singleElement()
                .satisfies(notice ->
                        assertThat(notice.ofRun().orElseThrow().run().id()).isEqualTo(run.id()));
    }

    @Test
    void a_command_that_says_nothing_is_completed_empty() {
        assertThat(awaitEnd(start("true")).status()).isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void what_it_writes_to_the_result_file_is_its_result() {
        var run = awaitEnd(sh("echo chatter; echo 'the answer' > \"$ROOST_RESULT_FILE\""));
        assertThat(result(run)).isEqualTo("the answer\n");
        await().untilAsserted(() ->
                assertThat(house.outputFile(run)).content().contains("chatter").contains("the answer"));
    }

    @Test
    void something_odd_in_place_of_the_result_file_does_not_keep_the_run_from_ending() {
        var link = awaitEnd(sh("echo said; ln -s /etc/passwd \"$ROOST_RESULT_FILE\""));
        assertThat(link.status()).isEqualTo(Status.COMPLETED);
        assertThat(result(link)).isEqualTo("said\n");
        var silentLink = awaitEnd(sh("ln -s /etc/passwd \"$ROOST_RESULT_FILE\""));
        assertThat(silentLink.status()).isEqualTo(Status.COMPLETED_EMPTY);
        var directory = awaitEnd(sh("echo said; mkdir -p \"$ROOST_RESULT_FILE/x\""));
        assertThat(result(directory)).isEqualTo("said\n");
    }

    @Test
    void half_a_character_is_no_news() {
        var run = sh("printf 'caf\\303'; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; printf '\\251\\n'");
        var first = house.output(show(run), new Output.Request(Optional.empty(), 0, Output.Until.NEWS, SOON));
        assertThat(first.text()).isEqualTo("caf");
        var second = house.output(
                show(run),
                new Output.Request(Optional.empty(), first.nextCursor(), Output.Until.NEWS, Duration.ofSeconds(1)));
        assertThat(second.timedOut()).isTrue();
        touch("go");
        var third = house.output(
                show(run), new Output.Request(Optional.empty(), first.nextCursor(), Output.Until.NEWS, SOON));
        assertThat(third.text()).isEqualTo("é\n");
    }

    @Test
    void without_a_path_the_usual_one_is_used() {
        var run = awaitEnd(house.start(with(request("sleep", "0"), scratch, Optional.empty())));
        assertThat(run.status()).isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void an_exit_status_is_a_failure_with_the_tail_of_stderr_as_evidence() {
        var run = awaitEnd(sh("echo partial; echo 'disk on fire' >&2; exit 3"));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThat(run.latest().cause()).contains(Cause.EXIT_CODE);
        var evidence = run.latest().evidence().orElseThrow();
        assertThat(evidence.exit()).contains(new Exit(3, false));
        assertThat(evidence.stderrTail()).isEqualTo("disk on fire\n");
        assertThat(evidence.agent()).isPresent();
        assertThat(evidence.bootId()).isPresent();
        assertThat(evidence.lastSignOfLife()).isPresent();
        assertThat(result(run)).as("what it had said is kept").isEqualTo("partial\n");
    }

    @Test
    void a_signal_is_claimed_only_if_it_was_one() {
        assertThat(awaitEnd(sh("kill -9 $$")).latest().cause()).contains(Cause.SIGNAL);
        var pretender = awaitEnd(sh("exit 137"));
        assertThat(pretender.latest().cause()).contains(Cause.EXIT_CODE);
        assertThat(pretender.latest().evidence().orElseThrow().exit()).contains(new Exit(137, false));
    }

    @Test
    void the_output_file_is_there_before_start_returns_and_grows() {
        var run = sh("echo one; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo two");
        assertThat(house.outputFile(run)).exists();
        await().untilAsserted(() -> assertThat(house.outputFile(run)).content().isEqualTo("one\n"));
        touch("go");
        awaitEnd(run);
        await().untilAsserted(() -> assertThat(house.outputFile(run))
                .content()
                .startsWith("one\ntwo\n")
                .contains("completed"));
    }

    private void touch(String name) {
        try {
            Files.createFile(scratch.resolve(name));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void the_agent_gets_the_callers_environment_directory_and_umask_and_knows_its_run() throws Exception {
        var request = request("sh", "-c", "pwd; echo $SECRET $CLAUDECODE.$ROOST_RUN_ID; umask; touch made");
        var run = awaitEnd(house.start(new StartRequest(
                PARENT,
                "command",
                request.task(),
                Optional.empty(),
                Optional.empty(),
                scratch,
                Map.of(
                        "PATH",
                        "/usr/bin:/bin",
                        "SECRET",
                        "s3cr3t",
                        "CLAUDECODE",
                        "1",
                        "ROOST_RUN_ID",
                        "r_of_the_parent"),
                "027",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN)));
        assertThat(result(run)).isEqualTo("%s\ns3cr3t .%s\n0027\n".formatted(scratch, run.id()));
        assertThat(Files.getPosixFilePermissions(
                        home.run(run.id()).attempt(1).path().resolve("spec.json")))
                .hasSize(2);
        assertThat(run.toString()).doesNotContain("s3cr3t");
    }

    private Run shWith(Map<String, String> environment, String umask, String script) {
        var all = new java.util.HashMap<>(Map.of("PATH", "/usr/bin:/bin"));
        all.putAll(environment);
        return house.start(new StartRequest(
                PARENT,
                "command",
                new Task(List.of("sh", "-c", script), Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                scratch,
                all,
                umask,
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
    }

    @Test
    void no_variable_of_the_callers_is_changed_by_the_perch() {
        var callers = new java.util.TreeMap<String, String>();
        for (var name : List.of(
                "dir", "spawn", "group", "input", "line", "pid", "born", "boot", "grouped", "status", "signaled"))
            callers.put(name, "the caller's " + name);
        var run = awaitEnd(shWith(callers, "022", "env | grep 's ' | sort"));
        var expected = new StringBuilder();
        callers.forEach(
                (name, value) -> expected.append(name).append('=').append(value).append('\n'));
        assertThat(result(run)).isEqualTo(expected.toString());
    }

    @Test
    void what_the_loader_says_is_not_taken_for_a_signal() {
        var run = awaitEnd(shWith(Map.of("LD_PRELOAD", "/no/such/library.so"), "022", "exit 143"));
        assertThat(run.latest().cause()).contains(Cause.EXIT_CODE);
        assertThat(run.latest().evidence().orElseThrow().exit()).contains(new Exit(143, false));
    }

    @Test
    void no_umask_makes_the_agents_own_files_unreadable() throws Exception {
        var run = awaitEnd(shWith(Map.of(), "0777", "umask; echo oops >&2"));
        assertThat(result(run)).isEqualTo("0777\n");
        var attempt = home.run(run.id()).attempt(1);
        for (var file : List.of(attempt.out(), attempt.err())) {
            assertThat(java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void a_path_that_lacks_the_usual_tools_does_not_hinder_the_perch() {
        var run = awaitEnd(house.start(new StartRequest(
                PARENT,
                "command",
                new Task(List.of("/bin/echo", "fine"), Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                scratch,
                Map.of("PATH", "/nowhere"),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN)));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void a_prompt_is_a_script_that_never_travels_as_an_argument() {
        var run = house.start(new StartRequest(
                PARENT,
                "command",
                new Task(List.of(), Optional.of("tr '\\0' '\\n' < /proc/$$/cmdline\necho it ran")),
                Optional.empty(),
                Optional.empty(),
                scratch,
                Map.of("PATH", System.getenv("PATH")),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
        assertThat(result(awaitEnd(run))).contains("it ran").contains("/prompt").doesNotContain("echo it ran");
    }

    @Test
    void words_are_passed_as_they_are_and_no_shell_sees_them() {
        var run = awaitEnd(start("printf", "%s|", "$HOME", "a b", "*", "`id`", "\"", "", "-n"));
        assertThat(result(run)).isEqualTo("$HOME|a b|*|`id`|\"||-n|");
    }

    @Test
    void a_result_of_many_megabytes_is_kept_in_its_file_whole() throws Exception {
        var run = awaitEnd(sh("head -c 3000000 /dev/zero | tr '\\0' x"));
        var output = house.output(run, Output.Request.now());
        assertThat(output.result()).isEmpty();
        assertThat(Files.size(output.resultFile().orElseThrow())).isEqualTo(3_000_000);
        assertThat(run.latest().resultBytes()).isEqualTo(3_000_000);
        assertThat(run.latest().position().outputBytes())
                .as("output.md has all of it")
                .isEqualTo(3_000_000);
    }

    @Test
    void reading_a_live_run_changes_nothing_and_only_its_owner_clears_unread() {
        var run = sh("echo so far; sleep 1000");
        await().until(() -> house.output(show(run), Output.Request.now()).text().equals("so far\n"));
        house.wasRead(show(run), 1, AS_PARENT);
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);

        house.stop(show(run), AS_PARENT);
        house.wasRead(show(run), 1, AS_OPERATOR);
        assertThat(show(run).latest().unread())
                .as("the operator's reading clears nothing")
                .isTrue();
        house.wasRead(show(run), 1, AS_PARENT);
        assertThat(show(run).latest().unread()).isFalse();
        assertThat(house.inbox(Optional.empty(), AS_OPERATOR)).isEmpty();
        assertThat(result(run)).isEqualTo("so far\n");
    }

    @Test
    void output_is_read_from_a_cursor_on_without_splitting_characters() {
        var run = sh("printf 'z\\303'; sleep 0.3; printf '\\274rich\\n'; sleep 0.2; echo ende");
        var text = new StringBuilder();
        long cursor = 0;
        while (true) {
            var output = house.output(show(run), new Output.Request(Optional.empty(), cursor, Output.Until.NEWS, SOON));
            text.append(output.text());
            cursor = output.nextCursor();
            if (output.attempt().status().ended()) break;
        }
        assertThat(text).hasToString("zürich\nende\n");
    }

    @Test
    void a_cursor_ahead_of_a_daemon_that_is_still_carrying_over_does_not_go_back() {
        var run = sh("echo one; sleep 1000");
        await().untilAsserted(() -> assertThat(house.outputFile(run)).content().isEqualTo("one\n"));
        var ahead = new Output.Request(Optional.empty(), 1000, Output.Until.NOW, SOON);
        assertThat(house.output(show(run), ahead).nextCursor()).isEqualTo(1000);
        assertThat(house.output(show(run), ahead).text()).isEmpty();
        house.stop(show(run), AS_PARENT);
        assertThat(house.output(show(run), ahead).nextCursor())
                .as("of an ended run all is known")
                .isEqualTo(4);
    }

    @Test
    void a_blocked_read_that_runs_out_of_time_says_so_with_the_current_truth() {
        var run = sh("sleep 1000");
        var output = house.output(
                show(run), new Output.Request(Optional.empty(), 0, Output.Until.END, Duration.ofSeconds(1)));
        assertThat(output.timedOut()).isTrue();
        assertThat(output.waited().orElseThrow()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(output.run().status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void fifty_readers_blocked_on_five_runs_all_return_with_the_end_and_none_sees_running_afterwards()
            throws Exception {
        var runs = new ArrayList<Run>();
        for (int i = 0; i < 5; i++) runs.add(sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.02; done; echo done"));
        runs.forEach(this::awaitBegun);
        var ended = new ConcurrentLinkedQueue<Run>();
        var lies = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var readers = new ArrayList<Future<Output>>();
            for (int i = 0; i < 50; i++) {
                var run = runs.get(i % 5);
                readers.add(threads.submit(() -> {
                    var output = house.output(run, new Output.Request(Optional.empty(), 0, Output.Until.END, SOON));
                    ended.add(output.run());
                    for (var known : ended) if (!show(known).status().ended()) lies.set(true);
                    return output;
                }));
            }
            touch("go");
            for (var run : runs)
                await().atMost(SOON).until(() -> show(run).status().ended());
            var deadline = System.nanoTime() + SOON.toNanos();
            for (var reader : readers) {
                var output = reader.get(
                        Math.max(1, deadline - System.nanoTime()), java.util.concurrent.TimeUnit.NANOSECONDS);
                assertThat(output.timedOut()).isFalse();
                assertThat(output.result()).contains("done\n");
            }
        }
        assertThat(lies).isFalse();
    }

    @Test
    void stopping_is_idempotent_says_who_and_ends_the_run_once() {
        var run = sh("sleep 1000");
        awaitBegun(run);
        var stopped = house.stop(show(run), AS_PARENT);
        assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(stopped.latest().cause()).contains(Cause.STOPPED);
        assertThat(stopped.latest().stopping().orElseThrow().who()).isEqualTo(PARENT.id());
        assertThat(house.stop(show(run), AS_OPERATOR)).isEqualTo(stopped);
        assertThat(house.notices(run)).hasSize(1);
    }

    @Test
    void a_run_stopped_the_moment_it_was_started_ends_canceled_and_leaves_nothing() {
        for (int i = 0; i < 10; i++) {
            var stopped = house.stop(sh("sleep 1000"), AS_PARENT);
            assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        }
    }

    @Test
    void an_agent_that_ignores_term_is_killed_after_its_grace() {
        var run = sh("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        await().until(() -> house.output(show(run), Output.Request.now()).text().equals("ready\n"));
        assertThat(house.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
    }

    private Run named(String name, Owner owner) {
        return house.start(new StartRequest(
                owner,
                "command",
                request("true").task(),
                Optional.of(name),
                Optional.empty(),
                scratch,
                Map.of(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
    }

    @Test
    void a_name_that_is_the_beginning_of_many_ids_is_still_a_name() {
        var named = named("r", PARENT);
        for (int i = 0; i < 25; i++) start("true");
        assertThat(house.find("r", AS_PARENT).id()).isEqualTo(named.id());
    }

    @Test
    void a_name_that_several_owners_use_means_ones_own_and_otherwise_nobodys() {
        var own = named("build", AS_OPERATOR.owner());
        var parents = named("build", PARENT);
        named("docs", PARENT);
        var others = named("docs", new Owner("claude:other"));
        assertThat(house.find("build", AS_OPERATOR).id()).isEqualTo(own.id());
        assertThat(house.find("build", AS_PARENT).id()).isEqualTo(parents.id());
        assertThatThrownBy(() -> house.find("docs", AS_OPERATOR))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(others.id().text());
    }

    @Test
    void names_and_beginnings_find_a_run_and_what_is_ambiguous_or_unknown_is_said() {
        var named = house.start(new StartRequest(
                PARENT,
                "command",
                request("true").task(),
                Optional.of("nightly"),
                Optional.empty(),
                scratch,
                Map.of(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
        var other = start("true");
        assertThat(house.find("nightly", AS_PARENT).id()).isEqualTo(named.id());
        assertThat(house.find(other.id().text(), AS_PARENT).id()).isEqualTo(other.id());
        assertThatThrownBy(() -> house.find("r_", AS_PARENT))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(other.id().text());
        assertThatThrownBy(() -> house.find("r_zzz", AS_PARENT)).isInstanceOf(NoSuchRun.class);
        assertThatThrownBy(() -> house.find("", AS_PARENT)).isInstanceOf(NoSuchRun.class);
    }

    @Test
    void somebody_elses_run_answers_like_one_that_does_not_exist() {
        var run = awaitEnd(start("true"));
        var stranger = new Caller(new Owner("claude:stranger"), false);
        assertThatThrownBy(() -> house.find(run.id().text(), stranger)).isInstanceOf(NoSuchRun.class);
        assertThat(house.list(Query.of(Query.Which.ALL), stranger)).isEmpty();
        assertThat(house.inbox(Optional.of(PARENT), stranger)).isEmpty();
    }

    @Test
    void what_cannot_be_started_is_refused_and_leaves_nothing_behind() throws Exception {
        refused("no_such_executable", () -> start("no-such-program-anywhere"));
        refused("no_such_executable", () -> start("./nor-here"));
        refused("no_such_executable", () -> start(""));
        refused("prompt_too_long", () -> start("echo", "x".repeat(200_000)));
        refused("prompt_too_long", () -> new Task(List.of(), Optional.of("x".repeat(2 << 20))));
        refused("nul_in_task", () -> start("echo", "a\0b"));
        refused("bad_task", () -> start());
        var request = request("true");
        refused("no_such_directory", () -> house.start(with(request, Path.of("/no/such/directory"), Optional.empty())));
        refused("no_such_directory", () -> house.start(with(request, Path.of("relative"), Optional.empty())));
        refused("bad_name", () -> house.start(with(request, scratch, Optional.of("a\0b"))));
        assertThatThrownBy(() -> house.start(new StartRequest(
                        PARENT,
                        "command",
                        request.task(),
                        Optional.empty(),
                        Optional.empty(),
                        scratch,
                        Map.of(),
                        "022",
                        Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                        Optional.of(true),
                        StartRequest.Origin.UNKNOWN)))
                .isInstanceOf(Refused.class);
        assertThat(house.list(Query.of(Query.Which.ALL), AS_OPERATOR)).isEmpty();
        try (var directories = Files.list(home.runs())) {
            assertThat(directories).isEmpty();
        }
    }

    private StartRequest with(StartRequest request, Path cwd, Optional<String> name) {
        return new StartRequest(
                PARENT,
                "command",
                request.task(),
                name,
                Optional.empty(),
                cwd,
                Map.of(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
    }

    private void refused(String code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RoostError.class, error -> {
            assertThat(error.code()).isEqualTo(code);
            assertThat(error.hint()).isNotBlank();
        });
    }

    @Test
    void the_timeline_tells_the_story() {
        var run = awaitEnd(start("echo", "hi"));
        assertThat(house.events(run)).extracting(Event::kind).containsExactly("submitted", "claimed", "began", "ended");
    }

    @Tag("linux") // elsewhere it is the same, and takes half a minute
    @Test
    void two_hundred_runs_at_once_all_end_with_their_own_result_and_one_notice_each() {
        var runs = new ArrayList<Run>();
        for (int i = 0; i < 200; i++) runs.add(start("echo", "number " + i));
        for (int i = 0; i < 200; i++) assertThat(result(awaitEnd(runs.get(i)))).isEqualTo("number " + i + "\n");
        assertThat(house.inbox(Optional.empty(), AS_OPERATOR)).hasSize(200);
    }
}
