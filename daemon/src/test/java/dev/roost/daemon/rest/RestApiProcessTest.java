package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.RestApiFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The REST API: the same operations as on every surface, separate for each owner. */
class RestApiProcessTest extends RestApiFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    private static List<String> ids(JsonNode list) {
        var ids = new ArrayList<String>();
        list.path("runs").forEach(run -> ids.add(run.path("run_id").asString()));
        return ids;
    }

    @Test
    void a_run_is_started_and_read_and_reading_acknowledges_it() throws Exception {
        var token = token(BOX);
        var answer = post(
                API + "/runs",
                token,
                script("echo forty-two").put("name", "six by nine").toString());
        var run = ok(answer, 201);
        var id = run.path("run_id").asString();
        assertThat(answer.headers().firstValue("Location")).contains(API + "/runs/" + id);
        assertThat(run.path("owner").asString()).isEqualTo(BOX);
        assertThat(Files.exists(Path.of(run.path("output_file").asString()))).isTrue();

        var output = ended(token, id);
        assertThat(output.path("status").asString()).isEqualTo("completed");
        assertThat(output.path("result").asString()).contains("forty-two");
        await().atMost(SOON).until(() -> !show(id).path("unread").asBoolean());
        var shown = read("/runs/six%20by%20nine", token);
        assertThat(shown.path("run_id").asString()).isEqualTo(id);
        assertThat(shown.path("timeline").size()).isGreaterThan(3);
        assertThat(read("/runs/" + id.substring(0, id.length() - 1), token)
                        .path("run_id")
                        .asString())
                .isEqualTo(id);
    }

    @Test
    void a_head_request_and_a_read_by_the_operator_acknowledge_nothing() throws Exception {
        var token = token(BOX);
        var id = begin(token, "echo done");
        ended(operatorsToken(), id);
        var head = send(
                request(API + "/runs/" + id + "/output", token).method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(read("/runs/" + id, token).path("unread").asBoolean()).isTrue();
        ended(operatorsToken(), id);
        assertThat(read("/notices", token).path("notices").size()).isEqualTo(1);
        ended(token, id);
        await().atMost(SOON).until(() -> read("/notices", token).path("notices").isEmpty());
    }

    @Test
    void output_is_read_in_parts_by_its_cursor() throws Exception {
        var token = token(BOX);
        var id = begin(token, "echo one; echo two");
        ended(token, id);
        var all = read("/runs/" + id + "/output", token);
        var text = all.path("text").asString();
        long cut = text.indexOf("two");
        var rest = read("/runs/" + id + "/output?cursor=" + cut, token);
        assertThat(text.substring((int) cut)).isEqualTo(rest.path("text").asString());
        assertThat(rest.path("next_cursor")).isEqualTo(all.path("next_cursor"));
        refused(get(API + "/runs/" + id + "/output?attempt=7", token), 400, "no_such_attempt");
        refused(get(API + "/runs/" + id + "/output?cursor=two", token), 400, "bad_field");
        refused(get(API + "/runs/" + id + "/output?block=yes", token), 400, "bad_field");
        refused(get(API + "/runs/" + id + "/output?timeout_ms=30", token), 400, "timeout_too_short");
        refused(get(API + "/runs/" + id + "/output?follow=true", token), 400, "unknown_field");
        refused(get(API + "/runs/" + id + "/output?cursor=1&cursor=2", token), 400, "repeated_field");
    }

    @Test
    void lists_are_filtered_and_paged() throws Exception {
        var token = token(BOX);
        var all = new ArrayList<String>();
        for (int i = 0; i < 5; i++) all.addFirst(begin(token, "echo " + i));
        for (var id : all) ended(operatorsToken(), id);
        var seen = new ArrayList<String>();
        for (var cursor = ""; ; ) {
            var page = read("/runs?limit=2" + cursor, token);
            seen.addAll(ids(page));
            if (!page.has("next_cursor")) break;
            cursor = "&cursor=" + page.path("next_cursor").asString();
        }
        assertThat(seen).isEqualTo(all);
        ended(token, all.getFirst());
        await().atMost(SOON).until(() -> ids(read("/runs?filter=unread", token)).size() == 4);
        assertThat(ids(read("/runs?filter=all", token))).hasSize(5);
        assertThat(ids(read("/runs?filter=all&status=completed&agent=command", token)))
                .hasSize(5);
        assertThat(ids(read("/runs?filter=all&status=failed", token))).isEmpty();
        assertThat(ids(read("/runs?filter=all&q=echo%203", token))).isEmpty();
        assertThat(ids(read("/runs?filter=all&q=A+TEST", token))).hasSize(5);
        assertThat(ids(read("/runs?filter=all&q=%25", token))).isEmpty();
        assertThat(ids(read("/runs?filter=all&q=" + all.get(2), token))).containsExactly(all.get(2));
        refused(get(API + "/runs?status=asleep", token), 400, "bad_field");
        refused(get(API + "/runs?nonsense=1", token), 400, "unknown_field");
    }

    @Test
    void a_run_is_stopped_or_gets_a_message() throws Exception {
        var token = token(BOX);
        var id = begin(token, "sleep 1000");
        long pid = awaitPid(id);
        refused(post(API + "/runs/" + id + "/send", token, "{\"message\":\"hello\"}"), 403, "cannot_steer");
        var stopped = write("/runs/" + id + "/stop", token, object().put("reason", "enough"));
        assertThat(stopped.path("status").asString()).isEqualTo("canceled_by_user");
        assertThat(alive(pid)).isFalse();
        assertThat(read("/runs/" + id, token).toString()).contains("\"enough\"");
        assertThat(write("/runs/" + id + "/stop", token, object())
                        .path("status")
                        .asString())
                .isEqualTo("canceled_by_user");
        refused(post(API + "/runs/" + id + "/send", token, "{}"), 400, "missing_field");
    }

    @Test
    void another_owners_run_answers_exactly_like_one_that_does_not_exist() throws Exception {
        var mine = token(BOX);
        var theirs = token("claude:other");
        var id = begin(mine, "sleep 1000");
        var none = "r_0000000nope0";
        for (var route : new String[] {"", "/output", "/output?block=true"}) {
            var one = get(API + "/runs/" + id + route, theirs);
            var other = get(API + "/runs/" + none + route, theirs);
            refused(one, 404, "no_such_run");
            assertThat(one.body().replace(id, none)).isEqualTo(other.body());
            assertThat(one.headers().map().keySet())
                    .isEqualTo(other.headers().map().keySet());
        }
        refused(get(API + "/runs/" + id + "/output", theirs, "Accept", "text/event-stream"), 404, "no_such_run");
        refused(post(API + "/runs/" + id + "/stop", theirs, "{}"), 404, "no_such_run");
        refused(post(API + "/runs/" + id + "/send", theirs, "{\"message\":\"x\"}"), 404, "no_such_run");
        assertThat(ids(read("/runs?filter=all&owner=" + BOX, theirs))).isEmpty();
        assertThat(read("/notices?owner=" + BOX, theirs).path("notices").size()).isZero();
        assertThat(read("/spend?owner=" + BOX, theirs).path("spend").size()).isZero();
        assertThat(read("/pauses?owner=" + BOX, theirs).path("pauses").size()).isZero();
        assertThat(read("/owners", theirs).toString()).doesNotContain(BOX);
        refused(get(API + "/events?owner=" + BOX, theirs), 403, "not_your_owner");
        refused(post(API + "/runs", theirs, script("true").put("owner", BOX).toString()), 403, "not_your_owner");
        var notTheirs = write("/runs", theirs, script("true"), "Roost-Owner", BOX);
        assertThat(notTheirs.path("owner").asString()).isEqualTo("claude:other");
        assertThat(read("/runs/" + id, mine).path("status").asString()).isEqualTo("running");
        assertThat(ids(read("/runs", operatorsToken()))).contains(id);
    }

    @Test
    void every_route_refuses_invalid_tokens_and_foreign_browser_origins() throws Exception {
        var brief = token(scope(BOX).put("expires", "1s"));
        await().atMost(SOON).until(() -> get(API + "/runs", brief).statusCode() == 401);
        var revoked = call("token_create", scope(BOX));
        call("token_revoke", operator().put("token_id", revoked.path("token_id").asString()));
        for (var route : new String[] {
            "/runs", "/runs/x", "/owners", "/notices", "/pauses", "/agents", "/spend", "/events", "/openapi.json"
        }) {
            refused(get(API + route, ""), 401, "no_token");
            refused(get(API + route, brief), 401, "token_expired");
            assertThat(get(API + route, revoked.path("secret").asString()).statusCode())
                    .isIn(401, 429);
            assertThat(raw("GET %s%s HTTP/1.1\r\nHost: evil.example:%d\r\nAuthorization: Bearer %s\r\n\r\n"
                            .formatted(API, route, port(), operatorsToken())))
                    .startsWith("HTTP/1.1 403 ");
            assertThat(raw(
                            "GET %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: https://evil.example\r\nAuthorization: Bearer %s\r\n\r\n"
                                    .formatted(API, route, port(), operatorsToken())))
                    .startsWith("HTTP/1.1 403 ");
        }
        for (int i = 0; i < 20; i++) get(API + "/runs", "guess" + i);
        refused(get(API + "/runs", "guess"), 429, "too_many_failures");
        assertThat(read("/runs", operatorsToken()).path("runs").isEmpty()).isTrue();
    }

    @Test
    void an_unknown_path_is_404_and_another_method_gets_the_allowed_ones() throws Exception {
        for (var path : new String[] {
            "/", "/nothing", "/runs/", "/runs/a/b/c", "/runs//output", "/../../token", "/runs/x/output/"
        }) refused(get(API + path, operatorsToken()), 404, "no_such_route");
        refused(get("/api/v2/runs", operatorsToken()), 404, "no_such_route");
        var answer = send(request(API + "/runs", operatorsToken()).DELETE());
        refused(answer, 405, "bad_method");
        assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD, POST");
        answer = get(API + "/runs/x/stop", operatorsToken());
        refused(answer, 405, "bad_method");
        assertThat(answer.headers().firstValue("Allow")).contains("POST");
        answer = send(request(API + "/runs", operatorsToken(), "Origin", address())
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().map().keySet()).noneMatch(name -> name.startsWith("access-control"));
    }

    @Test
    void a_token_starts_only_its_agents_in_its_directories() throws Exception {
        var token = token(scope(BOX).put("max_live", 1));
        refused(post(API + "/runs", token, script("true").put("agent", "claude").toString()), 403, "agent_not_allowed");
        refused(post(API + "/runs", token, script("true").put("cwd", "/").toString()), 403, "outside_project");
        var env = script("true");
        env.putObject("env").put("A", "b");
        refused(post(API + "/runs", token, env.toString()), 403, "operator_only");
        begin(token, "sleep 1000");
        refused(post(API + "/runs", token, script("true").toString()), 403, "over_capacity");
        var agents = read("/agents", token).path("agents");
        assertThat(agents.size()).isEqualTo(1);
        assertThat(agents.get(0).path("agent").asString()).isEqualTo("command");
        refused(get(API + "/agents?cwd=/", token), 403, "operator_only");
    }

    @Test
    void a_stopping_daemon_reports_no_internal_error_to_a_waiting_program() throws Exception {
        var id = begin(token(BOX), "sleep 1000");
        awaitPid(id);
        var waiting = client.sendAsync(
                request(API + "/runs/" + id + "/output?block=true&timeout_ms=60s", operatorsToken())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        for (int i = 0; i < 20; i++) read("/runs", operatorsToken()); // by when the first one waits
        call("shutdown", operator());
        assertThat(daemon.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting.handle((answer, failed) -> failed != null || answer.statusCode() == 503)
                        .join())
                .isTrue();
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain("SEVERE", "ERROR");
    }

    @Test
    void a_tokens_cap_holds_for_concurrent_starts() throws Exception {
        var request = request(API + "/runs", token(scope(BOX).put("max_live", 1)))
                .POST(HttpRequest.BodyPublishers.ofString(script("sleep 1000").toString()))
                .build();
        var answers = Stream.generate(() -> client.sendAsync(request, HttpResponse.BodyHandlers.ofString()))
                .limit(8)
                .toList();
        var codes = answers.stream().map(answer -> answer.join().statusCode()).toList();
        assertThat(codes).containsOnlyOnce(201).containsOnly(201, 403);
        assertThat(call("list", operator()).path("runs").size()).isEqualTo(1);
    }

    @Test
    void the_operator_starts_any_agent_anywhere_for_any_owner() throws Exception {
        var mine = operatorsToken();
        refused(post(API + "/runs", mine, script("true").toString()), 400, "missing_owner");
        var other = Files.createDirectory(scratch.resolve("elsewhere"));
        var task = script("pwd; echo $GREETING").put("owner", BOX).put("cwd", other.toString());
        task.putObject("env").put("GREETING", "hello");
        var id = write("/runs", mine, task).path("run_id").asString();
        assertThat(ended(mine, id).path("result").asString()).contains(other.toString(), "hello");
        var forBox = write("/runs", mine, script("true"), "Roost-Owner", BOX, "Roost-Directory", other.toString());
        assertThat(forBox.path("owner").asString()).isEqualTo(BOX);
        assertThat(forBox.path("cwd").asString()).isEqualTo(other.toString());
        refused(post(API + "/runs", mine, script("true").put("owner", "nobody").toString()), 400, "bad_owner");
        refused(post(API + "/runs", mine, task.put("cwd", "/nowhere").toString()), 400, "no_such_directory");
        assertThat(ids(read("/runs?filter=all", mine, "Roost-Owner", "claude:other")))
                .isEmpty();
        assertThat(read("/agents", mine).path("agents").size()).isGreaterThan(3);
    }

    @Test
    void a_repeated_call_starts_no_second_run() throws Exception {
        var token = token(BOX);
        var body = script("echo once >> \"$PWD/count\"").toString();
        var first = ok(post(API + "/runs", token, body, "Idempotency-Key", "k1"), 201);
        var second = ok(post(API + "/runs", token, body, "Idempotency-Key", "k1"), 201);
        assertThat(second.path("run_id")).isEqualTo(first.path("run_id"));
        ended(token, first.path("run_id").asString());
        restart();
        assertThat(ok(post(API + "/runs", token, body, "Idempotency-Key", "k1"), 201)
                        .path("run_id"))
                .isEqualTo(first.path("run_id"));
        assertThat(ok(post(API + "/runs", token("claude:other"), body, "Idempotency-Key", "k1"), 201)
                        .path("run_id"))
                .isNotEqualTo(first.path("run_id"));
        refused(post(API + "/runs", token, body, "Idempotency-Key", "k 1"), 400, "bad_idempotency_key");
    }

    @Test
    void notices_are_listed_and_acknowledged_by_their_owner() throws Exception {
        var token = token(BOX);
        var id = begin(token, "echo done");
        ended(operatorsToken(), id);
        var notice =
                read("/notices", token).path("notices").get(0).path("notice_id").asString();
        var body = object();
        body.putArray("notice_ids").add(notice);
        assertThat(write("/notices/acknowledge", token("claude:other"), body)
                        .path("acknowledged")
                        .size())
                .isZero();
        assertThat(write("/notices/acknowledge", token, body)
                        .path("acknowledged")
                        .get(0)
                        .asString())
                .isEqualTo(notice);
        assertThat(read("/notices", operatorsToken()).path("notices").size()).isZero();
        refused(post(API + "/notices/acknowledge", token, "{\"notice_ids\":[\"7\"]}"), 400, "bad_notice");
    }

    @Test
    void owners_spending_and_pauses_are_reported() throws Exception {
        var token = token(BOX);
        begin(token, "sleep 1000");
        var done = begin(token, "true");
        ended(operatorsToken(), done);
        call("pause", operator());
        call("resume", operator());
        var pause = read("/pauses?since=1h", token).path("pauses").get(0);
        assertThat(pause.path("kind").asString()).isEqualTo("planned");
        assertThat(pause.path("runs").size()).isEqualTo(1);
        assertThat(read("/pauses", token("claude:other")).path("pauses").size()).isZero();
        var owner = read("/owners", operatorsToken()).path("owners").get(0);
        assertThat(owner.path("owner").asString()).isEqualTo(BOX);
        assertThat(owner.path("live").asInt()).isEqualTo(1);
        assertThat(owner.path("unread").asInt()).isEqualTo(1);
        assertThat(owner.path("today").path("tokens").asLong()).isZero();
        assertThat(read("/spend", operatorsToken()).path("spend").isArray()).isTrue();
        refused(get(API + "/pauses?since=7", token), 400, "duration_without_unit");
    }

    @Test
    void paths_are_shown_as_the_tokens_client_sees_them() throws Exception {
        var work = home.resolve("..").normalize();
        var scope = scope(BOX).put("directory", work.toString());
        scope.putObject("paths").put("/work", work.toString());
        var token = token(scope);
        Files.createDirectory(work.resolve("inner"));
        var run = write("/runs", token, script("pwd").put("cwd", "/work/inner"));
        assertThat(run.path("cwd").asString()).isEqualTo("/work/inner");
        assertThat(run.path("output_file").asString()).startsWith("/work/home/runs/");
        assertThat(read("/runs", token).path("runs").get(0).path("cwd").asString())
                .isEqualTo("/work/inner");
    }

    @Test
    void a_body_of_another_type_is_refused() throws Exception {
        var token = token(BOX);
        refused(post(API + "/runs", token, "{}", "Content-Type", "text/plain"), 415, "bad_content_type");
        refused(post(API + "/runs", token, "[]"), 400, "bad_json");
        refused(post(API + "/runs", token, "{"), 400, "bad_json");
        refused(post(API + "/runs", token, "{\"prompt\":1}"), 400, "bad_field");
        refused(post(API + "/runs", token, "{\"promt\":\"x\"}"), 400, "unknown_field");
        refused(post(API + "/runs?name=x", token, "{}"), 400, "query_not_taken");
        assertThat(ids(read("/runs?filter=all", token))).isEmpty();
    }
}
