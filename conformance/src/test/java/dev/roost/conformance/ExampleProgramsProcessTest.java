package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.model.ScriptStep;
import dev.roost.conformance.model.ScriptedModel;
import java.io.File;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the programs in examples/ as described there. */
class ExampleProgramsProcessTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern OF_EMBED =
            Pattern.compile(".*(embed|runtime|jackson|sqlite|flyway|jspecify)[^/]*(/target/classes)?(\\.jar)?");

    @TempDir
    Path scratch;

    private Path home() {
        return scratch.resolve("home");
    }

    private Process java(List<String> environment, String... words) throws IOException {
        var argv = new ArrayList<String>();
        argv.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        argv.addAll(List.of(words));
        var builder = new ProcessBuilder(argv)
                .redirectOutput(scratch.resolve("out").toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        for (var one : environment)
            builder.environment().put(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
        return builder.start();
    }

    private String ended(Process process) throws Exception {
        try {
            assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            var printed = Files.readString(scratch.resolve("out"));
            assertThat(process.exitValue()).as(printed).isZero();
            return printed;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void embed_runs_as_a_module_and_does_not_start_its_run_twice() throws Exception {
        var path = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> OF_EMBED.matcher(entry).matches() && !entry.contains("test"))
                .toList();
        var file = Files.writeString(scratch.resolve("three"), "a\nb\nc\n");
        var words = new String[] {
            "--enable-native-access=dev.roost.runtime,org.xerial.sqlitejdbc",
            "-p",
            String.join(File.pathSeparator, path),
            "-m",
            "dev.roost.examples.embed/dev.roost.examples.embed.EmbedExample",
            home().toString(),
            file.toString()
        };
        var first = ended(java(List.of(), words));
        assertThat(first).contains("notice: count", " completed\n", "3 lines in all");
        Files.writeString(file, "a\n");
        assertThat(ended(java(List.of(), words))).contains("3 lines in all").doesNotContain("notice:");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Process orchestrator(ScriptedModel model, String script) throws IOException {
        return java(
                List.of("MODEL_URL=" + model.address() + "/v1"),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.roost.examples.langchain4j.Orchestrator",
                home().toString(),
                "SCRIPT=" + script);
    }

    @Test
    void a_langchain4j_orchestrator_starts_reads_continues_and_stops_its_workers() throws Exception {
        var notes = scratch.resolve("notes");
        var work = "SCRIPT=mcp:write_note?file=%s&line=one|worker is done".formatted(notes);
        try (var model = ScriptedModel.start()) {
            var printed = ended(orchestrator(
                    model,
                    "mcp:agent?name=w1&prompt=" + encoded(work)
                            + "|mcp:agent_output?run_id=w1"
                            + "|mcp:agent_send?run_id=w1&message=" + encoded(work.replace("line=one", "line=two"))
                            + "|mcp:agent_output?run_id=w1"
                            + "|mcp:agent?name=w2&prompt=" + encoded("SCRIPT=hang")
                            + "|mcp:agent_list"
                            + "|mcp:agent_stop?run_id=w2"
                            + "|mcp:agent_output?run_id=nobody"
                            + "|all is done"));
            assertThat(printed).isEqualTo("all is done\n");
            assertThat(notes).hasContent("one\ntwo");
            var results = model.asked().getLast().modelRequest().toolResults();
            assertThat(results.get(1)).contains("completed", "worker is done");
            assertThat(results.get(3)).contains("completed", "worker is done");
            assertThat(results.get(5)).contains("w2 r_").doesNotContain("w1 r_");
            assertThat(results.get(6)).contains("canceled_by_user");
            assertThat(results.get(7)).contains("nobody");
        }
    }

    @Test
    void a_lost_langchain4j_worker_continues_after_its_last_step_and_repeats_no_model_call() throws Exception {
        var notes = scratch.resolve("notes");
        var note = "mcp:write_note?file=%s&line=".formatted(notes);
        var work = "SCRIPT=%sone|hang?once|%stwo|worker is done".formatted(note, note);
        try (var model = ScriptedModel.start()) {
            var orchestrator = orchestrator(
                    model, "mcp:agent?name=w1&prompt=" + encoded(work) + "|mcp:agent_output?run_id=w1|all is done");
            await().atMost(SOON).until(() -> asked(model, ScriptStep.Hang.class) == 1);
            lose();
            assertThat(ended(orchestrator)).isEqualTo("all is done\n");
            assertThat(notes).hasContent("one\ntwo");
            assertThat(model.asked().getLast().modelRequest().toolResults().get(1))
                    .contains("completed", "worker is done");
            assertThat(model.asked().stream()
                            .filter(one -> one.answer() instanceof ScriptStep.Call(var tool, var given)
                                    && tool.equals("write_note")
                                    && given.containsValue("one")))
                    .hasSize(1);
        }
    }

    private static long asked(ScriptedModel model, Class<? extends ScriptStep> what) {
        return model.asked().stream()
                .filter(one -> what.isInstance(one.answer()))
                .count();
    }

    /** Kills the worker's perch and the worker at once. */
    private void lose() {
        var worker = ProcessHandle.allProcesses()
                .filter(one -> proc(one, "cmdline").contains("\0dev.roost.agent.AgentMain\0"))
                .filter(one -> proc(one, "cmdline").startsWith(System.getProperty("java.home")))
                .filter(one -> proc(one, "environ").contains("ROOST_HOME=" + home() + "\0"))
                .findFirst()
                .orElseThrow();
        worker.parent().orElseThrow().destroyForcibly();
        worker.destroyForcibly();
    }

    private static String proc(ProcessHandle process, String file) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it has just ended
        }
    }
}
