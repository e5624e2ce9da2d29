package dev.roost.daemon.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import dev.roost.daemon.testing.MetricsScrape;
import dev.roost.daemon.testing.OtlpCollector;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** One trace for each run despite crashes, sent only to the configured collector. */
class TraceExporterProcessTest extends HttpFixture {

    private static final String TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String SECRET_WORDS = "the-crown-jewels";

    /** Speaks as Claude Code does. */
    private static final String AGENT = """
            read -r prompt
            echo '{"type":"system","subtype":"init","session_id":"conversation-1","model":"claude-test"}'
            echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash",'\\
            '"input":{"command":"steal the-crown-jewels"}}],"usage":{"input_tokens":100,"output_tokens":20}}}'
            while [ ! -e "$SCRATCH/go" ]; do sleep 0.05; done
            echo '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"ok"}]}}'
            echo '{"type":"result","subtype":"success","is_error":false,"result":"here are the-crown-jewels",'\\
            '"model_usage_since_last_result":{"claude-test":{"inputTokens":100,"cacheReadInputTokens":7,"outputTokens":20,"costUSD":0.5}}}'
            """;

    private OtlpCollector otlpCollector;
    private String otlp;

    @Override
    @BeforeEach
    public void startDaemon() throws IOException {
        otlpCollector = new OtlpCollector();
        otlp = otlpCollector.address();
        Files.writeString(scratch.resolve("agent.sh"), AGENT);
        configure("");
        super.startDaemon();
    }

    @AfterEach
    void closeReceiver() {
        otlpCollector.close();
    }

    @Override
    public void configure(String more) throws IOException {
        super.configure("""
                [telemetry]
                %s
                headers = { X-Key = "abc" }
                %s
                [agents.thief]
                driver = "claude"
                command = ["sh", "%s"]
                model = "opus"
                """.formatted(
                        otlp.isEmpty() ? "" : "otlp = \"%s\"".formatted(otlp), more, scratch.resolve("agent.sh")));
    }

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(super.settings());
        settings.put("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + scratch.resolve("classes.log"));
        return settings;
    }

    private ObjectNode theft() {
        var task = params().put("cwd", scratch.toString()).put("agent", "thief").put("prompt", SECRET_WORDS);
        task.putObject("env")
                .put("PATH", System.getenv("PATH"))
                .put("SCRATCH", scratch.toString())
                .put("TRACEPARENT", TRACEPARENT);
        return task;
    }

    private String steal() throws IOException {
        var run = call("start", theft()).path("run_id").asString();
        await().atMost(SOON).until(() -> transcript(run).contains("tool_started"));
        return run;
    }

    private String transcript(String run) throws IOException {
        var file = home.resolve("runs").resolve(run).resolve("transcript.jsonl");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** Its owner reads the end, which acknowledges the notice. */
    private void read(String run) throws IOException {
        call("output", params().put("run_id", run).put("block", true).put("timeout_ms", "20s"));
    }

    private void awaitSpans(int count) {
        await().atMost(SOON).until(() -> otlpCollector.spans.size() >= count);
        assertThat(otlpCollector.faults).isEmpty();
        assertThat(otlpCollector.spans).hasSize(count);
        assertThat(otlpCollector.spans.stream().map(span -> OtlpCollector.hex(span.getSpanId())))
                .doesNotHaveDuplicates();
    }

    private void isTheWholeStory() {
        awaitSpans(6);
        assertThat(otlpCollector.spans.stream().map(Span::getTraceId).collect(Collectors.toSet()))
                .hasSize(1);
        assertThat(otlpCollector.spans.stream().map(Span::getName).collect(Collectors.toSet()))
                .isEqualTo(Set.of("invoke_agent thief", "queued", "spawn", "execute_tool Bash", "end", "notice"));
        var root = otlpCollector.named("invoke_agent thief").getFirst();
        assertThat(root.getParentSpanId().isEmpty()).isTrue();
        for (var span : otlpCollector.spans) {
            assertThat(span.getEndTimeUnixNano()).isGreaterThanOrEqualTo(span.getStartTimeUnixNano());
            if (!span.equals(root)) assertThat(span.getParentSpanId()).isEqualTo(root.getSpanId());
        }
    }

    @Test
    void a_run_is_one_trace_with_its_spans_and_without_its_content() throws Exception {
        var run = steal();
        Files.createFile(scratch.resolve("go"));
        read(run);
        isTheWholeStory();
        var root = otlpCollector.named("invoke_agent thief").getFirst();
        assertThat(OtlpCollector.attributes(root))
                .containsEntry("gen_ai.operation.name", "invoke_agent")
                .containsEntry("gen_ai.agent.name", "thief")
                .containsEntry("gen_ai.provider.name", "anthropic")
                .containsEntry("gen_ai.request.model", "opus")
                .containsEntry("gen_ai.response.model", "claude-test")
                .containsEntry("gen_ai.conversation.id", "conversation-1")
                .containsEntry("gen_ai.usage.input_tokens", 107L)
                .containsEntry("gen_ai.usage.output_tokens", 20L)
                .containsEntry("roost.cost_usd", 0.5)
                .containsEntry("roost.run.id", run)
                .containsEntry("roost.owner", PARENT)
                .containsEntry("roost.status", "completed")
                .doesNotContainKey("error.type");
        assertThat(root.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
        assertThat(root.getLinksList()).singleElement().satisfies(link -> {
            assertThat(OtlpCollector.hex(link.getTraceId())).isEqualTo("0af7651916cd43dd8448eb211c80319c");
            assertThat(OtlpCollector.hex(link.getSpanId())).isEqualTo("b7ad6b7169203331");
        });
        var tool = otlpCollector.named("execute_tool Bash").getFirst();
        assertThat(OtlpCollector.attributes(tool))
                .containsEntry("gen_ai.tool.name", "Bash")
                .containsEntry("gen_ai.operation.name", "execute_tool");
        assertThat(tool.getEndTimeUnixNano()).isGreaterThan(tool.getStartTimeUnixNano());
        assertThat(String.join("", otlpCollector.bodies))
                .doesNotContain(SECRET_WORDS)
                .contains("service.name");
        assertThat(otlpCollector.keys).containsOnly("abc");
        assertThat(otlpCollector.formats).containsOnly("application/x-protobuf");
    }

    @Test
    void a_killed_daemon_leaves_one_trace_without_duplicate_spans() throws Exception {
        var run = steal();
        restart();
        Files.createFile(scratch.resolve("go"));
        awaitEnd(run);
        await().atMost(SOON).until(() -> otlpCollector.spans.size() >= 5);
        restart();
        read(run);
        isTheWholeStory();
    }

    @Test
    void a_continued_run_stays_in_the_same_trace() throws Exception {
        Files.createFile(scratch.resolve("go"));
        var run = call("start", theft()).path("run_id").asString();
        read(run);
        awaitSpans(6);
        call("send", params().put("run_id", run).put("message", "once more"));
        read(run);
        awaitSpans(12);
        assertThat(otlpCollector.spans.stream().map(Span::getTraceId).collect(Collectors.toSet()))
                .hasSize(1);
        var turns = otlpCollector.named("invoke_agent thief");
        assertThat(turns).hasSize(2);
        assertThat(turns.getLast().getParentSpanId()).isEqualTo(turns.getFirst().getSpanId());
    }

    @Test
    void a_crash_is_an_error_with_its_cause_and_a_stop_is_no_error() throws Exception {
        awaitEnd(sh("exit 3"));
        awaitSpans(4);
        var dead = otlpCollector.named("invoke_agent command").getFirst();
        assertThat(dead.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(OtlpCollector.attributes(dead)).containsEntry("error.type", "exit_code");
        var run = sh("sleep 1000");
        awaitPid(run);
        call("stop", operator().put("run_id", run));
        awaitSpans(8);
        var stopped = otlpCollector.named("invoke_agent command").getLast();
        assertThat(stopped.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
        assertThat(OtlpCollector.attributes(stopped)).containsEntry("roost.status", "canceled_by_user");
    }

    @Test
    void traces_contain_prompts_and_results_only_if_configured() throws Exception {
        daemon.destroy();
        daemon.waitFor();
        disconnect();
        configure("content = true");
        daemon = start();
        Files.createFile(scratch.resolve("go"));
        awaitEnd(call("start", theft()).path("run_id").asString());
        awaitSpans(5);
        assertThat(OtlpCollector.attributes(
                        otlpCollector.named("invoke_agent thief").getFirst()))
                .containsEntry("roost.result", "here are the-crown-jewels");
    }

    @Test
    void a_missing_collector_costs_only_spans() throws Exception {
        otlpCollector.answer = 503;
        for (int i = 0; i < 3; i++) awaitEnd(sh("echo done"));
        await().atMost(SOON).until(() -> dropped() == 12);
        otlpCollector.answer = 200;
        awaitEnd(sh("echo done"));
        awaitSpans(4);
        assertThat(MetricsScrape.of(get("/metrics", operatorsToken()).body()).at("roost_spans_exported_total"))
                .isEqualTo(4);
    }

    private double dropped() throws Exception {
        return MetricsScrape.of(get("/metrics", operatorsToken()).body())
                .at("roost_spans_dropped_total{reason=\"no_collector\"}");
    }

    @Test
    void without_a_collector_nothing_is_sent_and_no_exporter_is_loaded() throws Exception {
        awaitEnd(sh("echo done"));
        awaitSpans(4);
        assertThat(classes())
                .contains("dev.roost.daemon.telemetry.RunSpans")
                .contains("dev.roost.daemon.telemetry.TraceExporter")
                .contains("dev.roost.daemon.telemetry.OtlpClient")
                .contains("io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter")
                .contains("java.net.http.HttpClient ");
        daemon.destroy();
        daemon.waitFor();
        disconnect();
        otlp = "";
        configure("");
        daemon = start();
        awaitEnd(sh("echo done"));
        assertThat(MetricsScrape.of(get("/metrics", operatorsToken()).body()).names())
                .noneMatch(name -> name.contains("spans"));
        assertThat(classes())
                .contains("dev.roost.daemon.telemetry.LedgerGauges")
                .doesNotContain("dev.roost.daemon.telemetry.RunSpans")
                .doesNotContain("dev.roost.daemon.telemetry.TraceExporter")
                .doesNotContain("dev.roost.daemon.telemetry.OtlpClient")
                .doesNotContain("io.opentelemetry")
                .doesNotContain("java.net.http.HttpClient ");
        assertThat(otlpCollector.spans).hasSize(4);
    }

    private String classes() throws IOException {
        return Files.readString(scratch.resolve("classes.log"));
    }
}
