package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.Task;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Status;
import dev.roost.service.RealProcessFixture;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The environment, arguments and files that an agent gets from its caller and from Roost. */
@Tag("portable")
class AgentLaunchEnvironmentProcessTest extends RealProcessFixture {

    private RunRecord startWith(Task task, Map<String, String> environment, String umask) {
        return service.start(new StartRequest(
                PARENT,
                "command",
                task,
                Optional.empty(),
                Optional.empty(),
                scratch,
                environment,
                umask,
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
    }

    @Test
    void an_environment_without_path_gets_the_default_path() {
        var run = awaitEnd(startWith(request("sleep", "0").task(), Map.of(), "022"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void the_agent_gets_the_callers_environment_directory_and_umask_and_knows_its_run() throws Exception {
        var request = request("sh", "-c", "pwd; echo $SECRET $CLAUDECODE.$ROOST_RUN_ID; umask; touch made");
        var run = awaitEnd(startWith(
                request.task(),
                Map.of(
                        "PATH",
                        "/usr/bin:/bin",
                        "SECRET",
                        "s3cr3t",
                        "CLAUDECODE",
                        "1",
                        "ROOST_RUN_ID",
                        "r_of_the_parent"),
                "027"));
        assertThat(result(run)).isEqualTo("%s\ns3cr3t .%s\n0027\n".formatted(scratch, run.id()));
        assertThat(Files.getPosixFilePermissions(
                        home.run(run.id()).attempt(1).path().resolve("spec.json")))
                .hasSize(2);
        assertThat(run.toString()).doesNotContain("s3cr3t");
    }

    private RunRecord shWith(Map<String, String> environment, String umask, String script) {
        var all = new HashMap<>(Map.of("PATH", "/usr/bin:/bin"));
        all.putAll(environment);
        return startWith(new Task(List.of("sh", "-c", script), Optional.empty()), all, umask);
    }

    @Test
    void the_perch_changes_no_variable_of_the_caller() {
        var callers = new TreeMap<String, String>();
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
    void a_message_of_the_loader_is_not_taken_for_a_signal() {
        var run = awaitEnd(shWith(Map.of("LD_PRELOAD", "/no/such/library.so"), "022", "exit 143"));
        assertThat(run.latest().cause()).contains(Cause.EXIT_CODE);
        assertThat(run.latest().evidence().orElseThrow().exit()).contains(new Exit(143, false));
    }

    @Test
    void a_umask_of_0777_does_not_make_the_output_files_unreadable() throws Exception {
        var run = awaitEnd(shWith(Map.of(), "0777", "umask; echo oops >&2"));
        assertThat(result(run)).isEqualTo("0777\n");
        var attempt = home.run(run.id()).attempt(1);
        for (var file : List.of(attempt.out(), attempt.err())) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void the_perch_works_with_a_path_without_the_usual_tools() {
        var run = awaitEnd(
                startWith(new Task(List.of("/bin/echo", "fine"), Optional.empty()), Map.of("PATH", "/nowhere"), "022"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void a_prompt_is_run_as_a_script_and_never_passed_as_an_argument() {
        var run = startWith(
                new Task(List.of(), Optional.of("tr '\\0' '\\n' < /proc/$$/cmdline\necho it ran")),
                Map.of("PATH", System.getenv("PATH")),
                "022");
        assertThat(result(awaitEnd(run))).contains("it ran").contains("/prompt").doesNotContain("echo it ran");
    }

    @Test
    void arguments_are_passed_unchanged_without_a_shell() {
        var run = awaitEnd(start("printf", "%s|", "$HOME", "a b", "*", "`id`", "\"", "", "-n"));
        assertThat(result(run)).isEqualTo("$HOME|a b|*|`id`|\"||-n|");
    }
}
