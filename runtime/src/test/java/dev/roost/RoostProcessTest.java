package dev.roost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.BadInput;
import dev.roost.base.NoSuchRun;
import dev.roost.base.Refusal;
import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.testing.LibraryFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The promises of the library to a program that embeds Roost. */
class RoostProcessTest extends LibraryFixture {

    private RunRequest sh(String script) {
        return RunRequest.command("sh", "-c", script).in(scratch);
    }

    @Test
    void a_run_is_started_awaited_and_read_and_reading_it_acknowledges_its_notice() {
        var run = roost().start(sh("echo hello").named("greeting"));
        assertThat(run.outputFile()).exists();
        assertThat(run.owner()).isEqualTo("app:test");
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.COMPLETED);
        assertThat(ended.cause()).contains(Cause.FINISHED);
        assertThat(ended.unread()).isTrue();
        assertThat(roost().inbox()).singleElement().satisfies(notice -> {
            assertThat(notice.run()).contains(run.id());
            assertThat(notice.text()).contains("greeting", "completed");
        });
        assertThat(roost().output("greeting").result()).contains("hello\n");
        assertThat(roost().run(run.id()).unread()).isFalse();
        assertThat(roost().inbox()).isEmpty();
        assertThat(roost().runs()).isEmpty();
        assertThat(roost().runs(Runs.Selection.ALL)).hasSize(1);
    }

    @Test
    void output_is_read_from_the_cursor_of_the_last_answer() throws IOException {
        var run = roost().start(sh("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two"));
        await().atMost(SOON).until(() -> roost().output(run.id()).text().equals("one\n"));
        var first = roost().output(run.id());
        assertThat(first.result()).isEmpty();
        Files.createFile(scratch.resolve("go"));
        awaitEnd(run);
        assertThat(roost().output(run.id(), first.nextCursor()).text()).startsWith("two\n");
    }

    @Test
    void a_wait_returns_the_live_run_when_the_timeout_expires() {
        var run = roost().start(sh("sleep 60"));
        assertThat(roost().await(run.id(), Duration.ofMillis(200)).status().ended())
                .isFalse();
        var stopped = roost().stop(run.id());
        assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(roost().stop(run.id()).status()).isEqualTo(Status.CANCELED_BY_USER);
    }

    @Test
    void a_cap_is_enforced_while_the_run_works() {
        var run = awaitEnd(roost().start(sh("sleep 60").withMaxTime(Duration.ofSeconds(1))));
        assertThat(run.status()).isEqualTo(Status.FAILED);
        assertThat(run.cause()).contains(Cause.BUDGET_TIME);
    }

    @Test
    void an_owner_sees_only_its_own_runs() {
        var mine = roost().start(sh("echo mine").named("work"));
        var chat = roost().as("chat:17");
        var chatRun = chat.start(sh("echo chatRun").named("work"));
        assertThat(chat.runs(Runs.Selection.ALL)).extracting(Run::id).containsExactly(chatRun.id());
        assertThat(chat.run("work").id()).isEqualTo(chatRun.id());
        assertThatThrownBy(() -> chat.output(mine.id())).isInstanceOf(NoSuchRun.class);
        assertThatThrownBy(() -> chat.stop(mine.id())).isInstanceOf(NoSuchRun.class);
        awaitEnd(mine);
        assertThat(chat.await(chatRun.id(), SOON).status()).isEqualTo(Status.COMPLETED);
        assertThat(chat.inbox())
                .singleElement()
                .satisfies(notice -> assertThat(notice.run()).contains(chatRun.id()));
        chat.acknowledge(roost().inbox());
        assertThat(roost().inbox()).as("another owner's notice").hasSize(1);
    }

    @Test
    void a_request_with_the_same_key_starts_one_run() {
        var run = roost().start(sh("echo x >> count").once("order-4711"));
        awaitEnd(run);
        close();
        assertThat(roost().start(sh("echo x >> count").once("order-4711")).id()).isEqualTo(run.id());
        assertThat(scratch.resolve("count")).hasContent("x");
    }

    @Test
    void a_home_is_opened_by_one_program_at_a_time() {
        roost();
        assertThatThrownBy(() -> Roost.open(home())).isInstanceOf(Refusal.class).hasMessageContaining("already holds");
    }

    @Test
    void invalid_input_is_refused_with_a_hint() {
        assertThatThrownBy(() -> roost().start(RunRequest.of("nobody", "do it")))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.hint()).contains("Known agents"));
        assertThatThrownBy(() -> Settings.DEFAULT.withOwner("nobody")).isInstanceOf(BadInput.class);
        assertThatThrownBy(() -> Agent.of("claude").withPermissions("any")).isInstanceOf(BadInput.class);
        assertThat(roost().runs(Runs.Selection.ALL)).isEmpty();
    }

    /** A program that the test below starts and kills. */
    public static final class Host {
        public static void main(String[] args) throws Exception {
            var roost = Roost.open(Path.of(args[0]), Settings.DEFAULT.withOwner("app:test"));
            var run =
                    roost.start(RunRequest.command("sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; echo survived")
                            .in(Path.of(args[1])));
            System.out.println(run.id());
            Thread.currentThread().join();
        }
    }

    @Test
    void a_run_outlives_a_killed_host_and_the_next_host_finds_it() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var host = new ProcessBuilder(
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Host.class.getName(),
                        home().toString(),
                        scratch.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String id;
        try (var out = host.inputReader()) {
            id = out.readLine();
        } finally {
            host.destroyForcibly().waitFor();
        }
        assertThat(roost().run(id).status().ended()).isFalse();
        Files.createFile(scratch.resolve("go"));
        assertThat(roost().await(id, SOON).status()).isEqualTo(Status.COMPLETED);
        assertThat(roost().output(id).result()).contains("survived\n");
    }
}
