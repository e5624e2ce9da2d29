package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import java.io.IOException;

/** The waiting times of an owner's session: a tool call, a hook without a digest, and a hook with one. */
final class SessionBenchmark implements Benchmark {

    private static final int ROUNDS = 200;
    private static final String SESSION = "bench";

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        var start = new double[ROUNDS];
        var silent = new double[ROUNDS];
        var withDigest = new double[ROUNDS];
        try (var roost = new LauncherDaemon(setting, "home").start();
                var tools = roost.connect()) {
            hook(roost, "SessionStart");
            tools.send("{\"method\":\"mcp\",\"params\":{\"cwd\":\"/\",\"env\":{\"PATH\":\"/usr/bin:/bin\","
                    + "\"CLAUDE_CODE_SESSION_ID\":\"" + SESSION + "\"}}}");
            for (int i = 0; i < ROUNDS; i++) {
                silent[i] = Benchmark.millis(() -> hook(roost, "UserPromptSubmit"));
                var answer = new String[1];
                int id = 2 * i;
                var call =
                        ("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"agent\",\"arguments\":"
                                        + "{\"prompt\":\"true\",\"description\":\"d\",\"agent\":\"command\",\"run_in_background\":true}}}")
                                .formatted(id);
                start[i] = Benchmark.millis(() -> answer[0] = tools.exchange(call));
                var run = DaemonConnection.JSON
                        .readTree(answer[0])
                        .path("result")
                        .path("structuredContent")
                        .path("run_id")
                        .asString();
                try (var reader = roost.connect()) {
                    reader.awaitEnd(run);
                }
                withDigest[i] = Benchmark.millis(() -> {
                    if (!hook(roost, "UserPromptSubmit")) throw new IOException("the hook returned no digest");
                });
                hook(roost, "PostToolBatch"); // acknowledges the digest
            }
        }
        report.spread("tool call: agent in the background", start);
        report.spread("hook, nothing to say (in the daemon)", silent);
        report.spread("hook, with a digest, until the offer is committed", withDigest);
    }

    /** True if the hook returned a digest. */
    private static boolean hook(LauncherDaemon roost, String event) throws IOException {
        try (var connection = roost.connect()) {
            var call =
                    "{\"method\":\"hook\",\"params\":{\"harness\":\"claude-code\",\"event\":\"%s\",\"input\":\"{\\\"session_id\\\":\\\"%s\\\"}\"}}"
                            .formatted(event, SESSION);
            if (connection.exchange(call).equals("{}")) return false;
            connection.exchange("written");
            return true;
        }
    }
}
