package dev.roost.daemon.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.SocketRpcClient;
import dev.roost.fuzz.FuzzRunner;
import dev.roost.fuzz.HostileValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Malformed requests over the socket: each is answered in the error format and leaves nothing behind. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SocketConnectionFuzzTest extends DaemonFixture {

    private static final int USUALLY = 400;
    private static final Path PROTOCOL = Path.of("../docs/protocol.md");
    private static final Pattern METHOD = Pattern.compile("^\\| `([a-z_]+)` \\|");

    /** Excluded, because they stop the daemon, may wait forever, or write outside of this test's directory. */
    private static final List<String> NOT_PLAYED = List.of("shutdown", "changes", "backup", "rescue");

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(super.settings());
        settings.put("HOME", scratch.toString());
        return settings;
    }

    /** Every method with its declared fields. */
    private Map<String, List<String>> methods() throws IOException {
        var methods = new LinkedHashMap<String, List<String>>();
        for (var line : Files.readAllLines(PROTOCOL)) {
            var named = METHOD.matcher(line);
            if (!named.find() || NOT_PLAYED.contains(named.group(1))) continue;
            var refusal = error(named.group(1), operator().put("no_such_field", 1));
            if (!refusal.path("code").asString().equals("unknown_field")) continue;
            var known = refusal.path("hint").asString().replaceAll("^Known fields: |\\.$", "");
            methods.put(named.group(1), List.of(known.split(", ")));
        }
        assertThat(methods).hasSizeGreaterThan(20).containsKeys("start", "list", "send", "trust", "token_create");
        return methods;
    }

    private String request(Random random, Map<String, List<String>> methods, String run) {
        var names = List.copyOf(methods.keySet());
        var method = names.get(random.nextInt(names.size()));
        var fields = new TreeMap<String, String>();
        fields.put("caller", "\"claude:parent\"");
        fields.put("operator", "true");
        if (method.equals("start")) {
            fields.put("cwd", JSON.writeValueAsString(scratch.toString()));
            fields.put("argv", "[\"true\"]");
        }
        if (random.nextBoolean()) fields.put("run_id", JSON.writeValueAsString(run));
        var known = methods.getOrDefault(method, List.of());
        for (int i = random.nextInt(4); i > 0; i--)
            fields.put(known.get(random.nextInt(known.size())), HostileValues.value(random));
        fields.keySet()
                .removeIf(name ->
                        !known.contains(name) && !List.of("caller", "operator").contains(name));
        var params = new ArrayList<String>();
        fields.forEach((name, value) -> params.add("\"%s\":%s".formatted(name, value)));
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":{%s}}"
                .formatted(method, String.join(",", params));
    }

    /** An answer as it may be; its error's code, or "". */
    private static String checked(JsonNode answer) {
        if (answer.has("result")) return "";
        var error = answer.path("error");
        assertThat(error.path("code").isInt()).as("%s", answer).isTrue();
        var shape = error.path("data");
        assertThat(shape.propertyNames()).as("%s", answer).containsExactlyInAnyOrder("code", "message", "hint");
        assertThat(shape.toString())
                .doesNotContain("Exception", "dev.roost", "\\tat ", "\"internal\"")
                .doesNotContainPattern("java\\.\\w");
        return shape.path("code").asString();
    }

    private long directories() throws IOException {
        try (Stream<Path> runs = Files.list(home.resolve("runs"))) {
            return runs.count();
        }
    }

    @Test
    void every_field_of_every_method_accepts_only_its_type() throws Exception {
        var run = sh("echo hello");
        awaitEnd(run);
        var methods = methods();
        var codes = new TreeMap<String, Integer>();
        FuzzRunner.run(USUALLY, List.of(new byte[0]), (mutations, shown) -> {
            var request = request(mutations.random(), methods, run);
            shown.show(FuzzRunner.bytes(request));
            long before = directories();
            rpc().send(request);
            var code = checked(JSON.readTree(rpc().line()));
            codes.merge(code, 1, Integer::sum);
            if (request.contains("\"start\"") && !code.isEmpty())
                assertThat(directories()).isEqualTo(before);
        });
        assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
        if (System.getProperty("roost.seed") == null) assertThat(codes).containsKeys("", "bad_field", "bad_json");
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain("a request failed");
    }

    @Test
    void garbage_is_answered_and_the_daemon_keeps_serving() throws Exception {
        var run = sh("echo hello");
        awaitEnd(run);
        var samples = Stream.of(
                        operator().put("run_id", run),
                        task("true").put("max_time", "30m"),
                        operator().put("filter", "all").put("limit", 5))
                .map(params -> "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}"
                        .formatted(params.has("argv") ? "start" : params.has("limit") ? "list" : "show", params))
                .map(FuzzRunner::bytes)
                .toList();
        FuzzRunner.run(USUALLY, samples, (mutations, shown) -> {
            var input = shown.show(mutations.next());
            try (var other = new SocketRpcClient(home)) {
                other.write(input);
                if (mutations.random().nextInt(8) == 0) return; // disconnects in the middle
                other.send("\n{\"id\":\"last\",\"method\":\"status\",\"params\":%s}".formatted(operator()));
                other.sayNoMore();
                boolean answered = false;
                for (var line = other.lineOrEnd(); line.isPresent(); line = other.lineOrEnd()) {
                    var answer = JSON.readTree(line.get());
                    checked(answer);
                    answered |= answer.path("id").asString("").equals("last");
                }
                assertThat(answered).as("the request after it is answered").isTrue();
            }
        });
        assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
    }

    /** The daemon has 256 MB; the answers to all requests together would need several times that. */
    @Test
    void requests_of_a_client_that_reads_no_answers_are_not_read() throws Exception {
        var run = sh("head -c 100000 /dev/zero | tr '\\0' x");
        awaitEnd(run);
        var request = "{\"id\":1,\"method\":\"output\",\"params\":%s}\n"
                .formatted(operator().put("run_id", run));
        try (var greedy = new SocketRpcClient(home)) {
            int sent = greedy.writeWhatIsTaken(request.repeat(100_000));
            assertThat(sent).isLessThan(request.length() * 100_000);
            assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
        }
        assertThat(call("status", operator()).path("pid").asLong()).isEqualTo(daemon.pid());
    }
}
