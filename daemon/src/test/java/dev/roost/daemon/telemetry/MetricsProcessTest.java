package dev.roost.daemon.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import dev.roost.daemon.testing.MetricsScrape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Monitoring a daemon: /metrics and /readyz. */
class MetricsProcessTest extends HttpFixture {

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(super.settings());
        settings.put("ROOST_MAX_LIVE_PER_OWNER", "2");
        return settings;
    }

    MetricsScrape scrape() throws Exception {
        var answer = get("/metrics", operatorsToken());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return MetricsScrape.of(answer.body());
    }

    private double ended(String... pairs) throws Exception {
        return scrape().sum("roost_attempts_ended_total", pairs);
    }

    @Test
    void metrics_show_queued_and_running_runs_and_count_ends_by_cause() throws Exception {
        assertThat(scrape().sum("roost_runs")).isZero();
        var one = sh("sleep 1000");
        var two = sh("echo $$ > $SCRATCH/pid; sleep 1000");
        awaitPid(one);
        awaitPid(two);
        var waiting = sh("echo done");
        await().atMost(SOON).until(() -> scrape().sum("roost_runs", "phase=\"working\"") == 2);
        var during = scrape();
        assertThat(during.at("roost_runs{agent=\"command\",phase=\"waiting_for_slot\",status=\"queued\"}"))
                .isEqualTo(1);
        assertThat(during.at("roost_owner_runs{owner=\"claude:parent\"}")).isEqualTo(3);
        assertThat(during.at("roost_perches")).isEqualTo(2);
        assertThat(during.at("roost_queue_oldest_age_seconds")).isPositive();
        assertThat(during.at("roost_spawn_lag_seconds_count{agent=\"command\"}"))
                .isEqualTo(2);
        assertThat(during.at("roost_ready")).isEqualTo(1);
        assertThat(during.samples())
                .containsEntry("roost_attempts_died_total", 0.0)
                .containsEntry(
                        "roost_attempts_ended_total{agent=\"command\",cause=\"exit_code\",status=\"failed\"}", 0.0);

        call("stop", operator().put("run_id", one));
        awaitEnd(waiting);
        awaitEnd(sh("exit 3"));
        long killed = Long.parseLong(Files.readString(scratch.resolve("pid")).strip());
        ProcessHandle.of(killed).orElseThrow().destroyForcibly();
        awaitEnd(two);
        await().atMost(SOON).until(() -> ended() == 4);
        assertThat(ended("status=\"canceled_by_user\"", "cause=\"stopped\"")).isEqualTo(1);
        assertThat(ended("status=\"completed\"", "cause=\"finished\"")).isEqualTo(1);
        assertThat(ended("status=\"failed\"", "cause=\"exit_code\"")).isEqualTo(1);
        assertThat(ended("status=\"failed\"", "cause=\"signal\"")).isEqualTo(1);
        var after = scrape();
        assertThat(after.sum("roost_runs")).isZero();
        assertThat(after.at("roost_attempts_died_total")).isEqualTo(2);
        assertThat(after.at("roost_queue_oldest_age_seconds")).isZero();
        assertThat(after.at("roost_spawn_lag_seconds_count{agent=\"command\"}")).isEqualTo(4);
        assertThat(after.at("roost_end_lag_seconds_count{agent=\"command\"}")).isEqualTo(4);
        assertThat(after.at("roost_end_lag_seconds_bucket{agent=\"command\",le=\"+Inf\"}"))
                .isEqualTo(4);
        assertThat(after.at("roost_notices_pending{kind=\"ended\",session=\"none\"}"))
                .isEqualTo(4);
        assertThat(after.at("roost_ledger_commit_seconds_count")).isGreaterThan(10);
        assertThat(after.at("roost_ledger_commit_writes_sum")).isGreaterThan(10);
    }

    @Test
    void a_restarted_daemon_restores_gauges_and_restarts_its_counters() throws Exception {
        var run = sh("sleep 1000");
        awaitPid(run);
        awaitEnd(sh("echo done"));
        restart();
        assertThat(scrape().sum("roost_runs", "status=\"running\"")).isEqualTo(1);
        assertThat(ended()).isZero();
        call("stop", operator().put("run_id", run));
        await().atMost(SOON).until(() -> ended() == 1);
    }

    @Test
    void every_metric_has_a_description_and_both_formats_are_served() throws Exception {
        awaitEnd(sh("echo done"));
        var page = scrape();
        assertThat(page.names()).anyMatch(name -> name.startsWith("jvm_memory_used_bytes"));
        assertThat(page.names()).contains("process_files_open_files", "jvm_threads_live_threads");
        page.types().keySet().stream()
                .filter(name -> name.startsWith("roost_"))
                .forEach(name ->
                        assertThat(page.helps().get(name)).as(name).isNotNull().matches("[A-Z].*[.]"));
        var open = get("/metrics", operatorsToken(), "Accept", "application/openmetrics-text;version=1.0.0,*/*;q=0.1");
        assertThat(open.headers().firstValue("Content-Type").orElse("")).startsWith("application/openmetrics-text");
        assertThat(open.body()).endsWith("# EOF\n");
        assertThat(get("/metrics", operatorsToken())
                        .headers()
                        .firstValue("Content-Type")
                        .orElse(""))
                .startsWith("text/plain; version=0.0.4");
    }

    @Test
    void metrics_are_for_the_operator_and_their_secret_gives_no_other_access() throws Exception {
        refused(get("/metrics", ""), 401, "no_token");
        refused(get("/metrics", "roost_" + "x".repeat(43)), 401, "bad_token");
        refused(get("/metrics", token("claude:box")), 403, "operators_only");
        var metersOnly = Files.readString(home.resolve("metrics.token")).strip();
        assertThat(get("/metrics", metersOnly).statusCode()).isEqualTo(200);
        refused(post("/mcp", metersOnly, "{}", "Roost-Owner", PARENT), 401, "bad_token");
        assertThat(Files.getPosixFilePermissions(home.resolve("metrics.token"))).hasSize(2);
        refused(post("/metrics", operatorsToken(), "{}"), 405, "bad_method");
    }

    @Test
    void the_daemon_is_ready_only_while_the_ledger_accepts_writes_and_a_hanging_part_is_named() throws Exception {
        assertThat(get("/readyz", "").body()).isEqualTo("ready");
        try (var other = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("roost.db"));
                var statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE"); // the writer waits for up to ten seconds
            await().atMost(SOON).until(() -> get("/readyz", "").statusCode() == 503);
            refused(get("/readyz", ""), 503, "not_ready_ledger_write");
            assertThat(get("/healthz", "").body()).isEqualTo("ok");
            assertThat(scrape().at("roost_ready")).isZero();
            statement.execute("ROLLBACK");
        }
        await().atMost(SOON).until(() -> get("/readyz", "").statusCode() == 200);
    }

    /** A claude that reports so many tokens and dollars. */
    private void spender() throws Exception {
        Files.writeString(scratch.resolve("agent.sh"), """
                read -r prompt
                echo '{"type":"system","subtype":"init","session_id":"c-'$$'","model":"claude-test"}'
                echo '{"type":"result","subtype":"success","is_error":false,"result":"done","model_usage_since_last_result":'\\
                '{"claude-test":{"inputTokens":100,"cacheReadInputTokens":7,"outputTokens":20,"costUSD":0.5}}}'
                """);
        configure("[agents.spender]\ndriver = \"claude\"\ncommand = [\"sh\", \"%s\"]\n"
                .formatted(scratch.resolve("agent.sh")));
        restart();
    }

    private void spend() throws Exception {
        var task =
                params().put("cwd", scratch.toString()).put("agent", "spender").put("prompt", "do it");
        task.putObject("env").put("PATH", System.getenv("PATH"));
        awaitEnd(call("start", task).path("run_id").asString());
    }

    @Test
    void the_spending_counter_never_decreases_at_midnight_or_after_a_correction() throws Exception {
        spender();
        spend();
        spend();
        await().atMost(SOON).until(() -> scrape().at("roost_cost_usd_total") == 1);
        assertThat(scrape().at("roost_tokens_total")).isEqualTo(240);
        assertThat(scrape().at("roost_owner_tokens_total{owner=\"claude:parent\"}"))
                .isEqualTo(240);
        assertThat(scrape().at("roost_owner_cost_usd_total{owner=\"claude:parent\"}"))
                .isEqualTo(1);
        assertThat(scrape().at("roost_agent_tokens_total{agent=\"spender\",type=\"cached\"}"))
                .isEqualTo(14);
        assertThat(scrape().at("roost_agent_cost_usd_total{agent=\"spender\"}")).isEqualTo(1);
        try (var other = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("roost.db"));
                var statement = other.createStatement()) {
            statement.executeUpdate("UPDATE spend SET day = '2020-01-01'");
            assertThat(scrape().at("roost_tokens_total")).isEqualTo(240);
            statement.executeUpdate("UPDATE spend SET tokens = tokens - 40");
        }
        assertThat(scrape().at("roost_tokens_total")).isEqualTo(240);
        spend();
        assertThat(scrape().at("roost_tokens_total")).isEqualTo(320);
        restart();
        assertThat(scrape().at("roost_tokens_total")).isEqualTo(320);
        assertThat(scrape().at("roost_agent_tokens_total{agent=\"spender\",type=\"cached\"}"))
                .isZero();
    }

    /** The expressions of a file, wherever they stand in it. */
    private static List<String> expressions(String file) throws Exception {
        var text = Files.readString(Path.of("..", "integrations").resolve(file));
        return Pattern.compile("\"?expr\"?: (.*)")
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void every_metric_of_the_dashboard_and_the_alerts_exists() throws Exception {
        spender();
        spend();
        awaitEnd(sh("exit 3"));
        try (var other = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("roost.db"));
                var statement = other.createStatement()) { // as if a webhook had failed: there is none in this test
            statement.executeUpdate("INSERT INTO delivery (notice, channel, tries, next_at, failing_since, error) "
                    + "SELECT id, 'webhook', 1, 9999999999999, 1, 'x' FROM notice LIMIT 1");
        }
        call(
                "output",
                params().put("run_id", sh("echo read")).put("block", true).put("timeout_ms", "20s"));
        await().atMost(SOON).until(() -> scrape().at("roost_notice_wait_seconds_count") > 0);
        var sleeping = sh("sleep 1000");
        awaitPid(sleeping);
        var there = scrape().names();
        var wanted = new TreeSet<String>();
        for (var file : List.of("grafana/roost.json", "prometheus/alerts.yml")) {
            var all = expressions(file);
            assertThat(all).as(file).hasSizeGreaterThan(8);
            for (var one : all)
                Pattern.compile("\\b(roost|jvm|process)_[a-z_]+")
                        .matcher(one)
                        .results()
                        .forEach(name -> wanted.add(name.group()));
        }
        assertThat(wanted).hasSizeGreaterThan(25);
        assertThat(there).containsAll(wanted);
        var described = Files.readString(Path.of("..", "docs", "meters.md"));
        var ours =
                scrape().types().keySet().stream().filter(name -> name.startsWith("roost_") && !name.endsWith("_max"));
        assertThat(ours).allSatisfy(name -> assertThat(described).contains("`" + name));
    }
}
