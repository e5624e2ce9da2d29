package dev.roost.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.Agent;
import dev.roost.Run;
import dev.roost.RunRequest;
import dev.roost.Settings;
import dev.roost.base.BadInput;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.testing.LibraryFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Agents written in Java, in real JVMs. */
class JavaAgentProcessTest extends LibraryFixture {

    /** A record as the value of a step. */
    public record Page(int number, String text, List<String> links) {}

    /** An agent that does what its prompt names. */
    public static final class Worker implements JavaAgent {

        @Override
        public @Nullable String work(Context context) throws Exception {
            var scratch = Path.of(context.arguments().getFirst());
            Files.writeString(
                    scratch.resolve("pid"),
                    Long.toString(ProcessHandle.current().pid()));
            return switch (context.prompt()) {
                case "greet" -> {
                    System.out.println("about to greet");
                    context.say("A paragraph of mine.");
                    context.used(1000, 50, 0.25);
                    context.used(2000, 70, 0.5);
                    yield "Hello from " + context.runId();
                }
                case "nothing" -> null;
                case "throw" -> throw new IllegalStateException("no such order");
                case "leave" -> {
                    System.exit(0);
                    yield "never";
                }
                case "spend" -> {
                    context.used(1_000_000, 0, 0);
                    wait(scratch, "never");
                    yield "";
                }
                case "three steps" -> threeSteps(context, scratch);
                default -> inTurns(context);
            };
        }

        private static String threeSteps(Context context, Path scratch) throws Exception {
            var page = context.step("fetch", () -> {
                done(scratch, "fetch");
                return new Page(1, "words", List.of("a", "b"));
            });
            int sum = 0;
            for (int i = 0; i < 2; i++) {
                int here = i;
                sum += context.step("count", () -> {
                    done(scratch, "count" + here);
                    return here + 10;
                });
            }
            if (!context.resumed()) wait(scratch, "never");
            var last = context.step("last", () -> {
                done(scratch, "last");
                return "the end";
            });
            return "%s %s %d %s".formatted(page, context.prompt(), sum, last);
        }

        private static String inTurns(Context context) throws IOException {
            var memory = context.directory().resolve("memory");
            Files.writeString(memory, context.prompt() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            var value = context.step("value", context::prompt);
            return context.turn() + ": " + value + "; " + String.join(", ", Files.readAllLines(memory));
        }

        private static void done(Path scratch, String what) throws IOException {
            Files.writeString(
                    scratch.resolve("done"), what + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }

        private static void wait(Path scratch, String file) throws Exception {
            while (Files.notExists(scratch.resolve(file))) Thread.sleep(20);
        }
    }

    @Override
    public Settings settings() {
        return super.settings()
                .withAgent("worker", Agent.of(Worker.class).with(scratch.toString()))
                .withAgent("missing", Agent.of("java").command("java").with("com.example.Missing"));
    }

    private Run worker(String prompt) {
        return roost().start(RunRequest.of("worker", prompt));
    }

    @Test
    void the_returned_value_is_the_result_and_the_output_shows_said_and_printed_text() throws IOException {
        var run = awaitEnd(worker("greet"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        var output = roost().output(run.id());
        assertThat(output.result()).contains("Hello from " + run.id());
        assertThat(Files.readString(run.outputFile()))
                .contains("· about to greet\n", "A paragraph of mine.\n", "Hello from")
                .doesNotContain("{");
        assertThat(run.usage().input()).isEqualTo(3000);
        assertThat(run.usage().output()).isEqualTo(120);
        assertThat(run.usage().costMicros()).contains(750_000L);
    }

    @Test
    void an_empty_result_completes_the_run_and_an_exception_fails_it() throws IOException {
        assertThat(awaitEnd(worker("nothing")).status()).isEqualTo(Status.COMPLETED_EMPTY);
        var failed = awaitEnd(worker("throw"));
        assertThat(failed.status()).isEqualTo(Status.FAILED);
        assertThat(failed.cause()).contains(Cause.AGENT_ERROR);
        assertThat(Files.readString(failed.outputFile())).contains("IllegalStateException: no such order");
    }

    @Test
    void an_exit_without_a_final_report_is_a_failure() {
        var run = awaitEnd(worker("leave"));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThat(run.cause()).contains(Cause.CUT_SHORT);
    }

    @Test
    void reported_usage_counts_against_the_caps() {
        var run = awaitEnd(roost().start(RunRequest.of("worker", "spend").withMaxTokens(1000)));
        assertThat(run.cause()).contains(Cause.BUDGET_TOKENS);
    }

    @Test
    void a_lost_run_continues_after_its_last_finished_step() throws IOException {
        var run = worker("three steps");
        var agent = written(scratch.resolve("pid"));
        await().atMost(SOON)
                .until(() ->
                        Files.exists(scratch.resolve("done")) && lines("done").size() == 3);
        await().atMost(SOON).until(() -> journal(run, 1).contains("count#2"));
        lose(agent);
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.COMPLETED);
        assertThat(ended.attempt()).isEqualTo(2);
        assertThat(roost().output(run.id()).result())
                .contains("Page[number=1, text=words, links=[a, b]] three steps 21 the end");
        assertThat(lines("done")).containsExactly("fetch", "count0", "count1", "last");
        assertThat(Files.readString(run.outputFile())).contains("· fetch: done before", "→ last");
    }

    private String journal(Run run, int attempt) throws IOException {
        return Files.readString(home().resolve("runs").resolve(run.id()).resolve(attempt + "/journal.jsonl"));
    }

    @Test
    void an_agent_continues_while_no_program_has_opened_the_home() throws IOException {
        var run = worker("three steps");
        var agent = written(scratch.resolve("pid"));
        close();
        await().atMost(SOON).until(() -> journal(run, 1).contains("count#2"));
        assertThat(agent.isAlive()).isTrue();
        assertThat(roost().run(run.id()).status()).isEqualTo(Status.RUNNING);
        assertThat(roost().run(run.id()).attempt()).isEqualTo(1);
    }

    @Test
    void a_stop_ends_the_agents_jvm() throws IOException {
        var run = worker("three steps");
        var agent = written(scratch.resolve("pid"));
        assertThat(roost().stop(run.id()).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(agent.isAlive()).isFalse();
    }

    @Test
    void a_second_turn_has_its_own_steps_and_finds_the_files_of_the_first() {
        var run = awaitEnd(worker("first"));
        assertThat(roost().output(run.id()).result()).contains("1: first; first");
        roost().send(run.id(), "second");
        await().atMost(SOON).until(() -> roost().run(run.id()).attempt() == 2);
        awaitEnd(run);
        assertThat(roost().output(run.id()).result()).contains("2: second; first, second");
    }

    @Test
    void a_missing_class_fails_the_run() throws IOException {
        var run = awaitEnd(roost().start(RunRequest.of("missing", "do it")));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThatThrownBy(() -> roost().start(RunRequest.of("java", "do it")))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("no class");
        assertThat(roost().await(run.id(), Duration.ZERO).cause()).isPresent();
    }

    private static final class Hidden implements JavaAgent {
        @Override
        public String work(Context context) {
            return "";
        }
    }

    @Test
    void a_class_that_a_separate_jvm_cannot_instantiate_is_refused_at_once() {
        assertThatThrownBy(() -> Agent.of(Hidden.class))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("cannot instantiate");
    }
}
