package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** Access to the page. */
class SignInProcessTest extends HttpFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    private String link() throws Exception {
        return call("web", operator()).path("link").asString();
    }

    /** What a browser keeps after it followed the link. */
    private String cookie() throws Exception {
        var answer = send(HttpRequest.newBuilder(URI.create(link())));
        assertThat(answer.statusCode()).isEqualTo(200);
        var set = answer.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(set).contains("HttpOnly").contains("SameSite=Strict").contains("Path=/");
        return set.substring(0, set.indexOf(';'));
    }

    private HttpResponse<String> page(String path, String cookie, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(address() + path))
                .timeout(SOON)
                .header("Cookie", cookie);
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    private HttpResponse<String> submit(String path, String cookie, String body, String... headers) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(address() + path))
                .timeout(SOON)
                .header("Cookie", cookie)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .headers(headers.length == 0 ? new String[] {"X-Nothing", "1"} : headers)
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    @Test
    void without_a_cookie_nothing_is_shown() throws Exception {
        var run = sh("sleep 600");
        for (var path : new String[] {"/", "/live", "/older?before=" + run, "/runs/" + run, "/runs/" + run + "/live"}) {
            var answer = page(path, "other=1");
            assertThat(answer.statusCode()).as(path).isEqualTo(401);
            assertThat(answer.body()).contains("roost web").doesNotContain(run);
        }
        assertThat(submit("/runs/" + run + "/stop", "other=1", "", "Origin", address())
                        .statusCode())
                .isEqualTo(401);
        await().atMost(SOON).until(() -> status(run).equals("running")); // not stopped
    }

    @Test
    void a_token_is_not_accepted_as_a_cookie_nor_a_cookie_as_a_token() throws Exception {
        var cookie = cookie();
        var name = cookie.substring(0, cookie.indexOf('='));
        assertThat(page("/", name + "=" + token("claude:box")).statusCode()).isEqualTo(401);
        assertThat(page("/", name + "=" + operatorsToken()).statusCode()).isEqualTo(401);
        refused(get("/mcp", cookie.substring(cookie.indexOf('=') + 1)), 401, "bad_token");
        assertThat(page("/", cookie).statusCode()).isEqualTo(200);
    }

    @Test
    void a_signed_in_browser_is_listed_with_the_tokens_and_can_be_revoked() throws Exception {
        var cookie = cookie();
        var token = call("tokens", operator()).path("tokens").get(0);
        assertThat(token.path("page").asBoolean()).isTrue();
        assertThat(token.has("expires_at")).isTrue();
        call("token_revoke", operator().put("token_id", token.path("token_id").asString()));
        assertThat(page("/", cookie).statusCode()).isEqualTo(401);
    }

    @Test
    void a_sign_in_survives_a_restart_and_an_unused_link_does_not() throws Exception {
        var cookie = cookie();
        var link = link();
        restart();
        assertThat(page("/", cookie).statusCode()).isEqualTo(200);
        assertThat(send(HttpRequest.newBuilder(URI.create(link))).statusCode()).isEqualTo(401);
    }

    @Test
    void a_form_of_another_site_is_refused() throws Exception {
        var cookie = cookie();
        var run = sh("sleep 600");
        var stop = "/runs/" + run + "/stop";
        assertThat(submit(stop, cookie, "").statusCode()).isEqualTo(403);
        assertThat(submit(stop, cookie, "", "Origin", "http://127.0.0.1:1").statusCode())
                .isEqualTo(403);
        assertThat(submit(stop, cookie, "", "Origin", "null").statusCode()).isEqualTo(403);
        assertThat(submit(stop, cookie, "", "Sec-Fetch-Site", "cross-site").statusCode())
                .isEqualTo(403);
        assertThat(page(stop, cookie).statusCode()).isEqualTo(405);
        assertThat(status(run)).isEqualTo("running");
        var stopped = submit(stop, cookie, "", "Origin", address());
        assertThat(stopped.statusCode()).isEqualTo(303);
        assertThat(stopped.headers().firstValue("Location")).contains("/runs/" + run);
        assertThat(status(run)).isEqualTo("canceled_by_user");
    }

    @Test
    void only_a_person_gets_a_sign_in_link() throws Exception {
        assertThat(error("web", params()).path("code").asString()).isEqualTo("person_required");
        assertThat(error("web", operator().put("harness", true)).path("code").asString())
                .isEqualTo("person_required");
        var run = sh("sleep 600");
        assertThat(error("web", operator().put("inside", run)).path("code").asString())
                .isEqualTo("person_required");
    }

    @Test
    void only_the_pages_own_scripts_run_and_no_site_can_frame_it() throws Exception {
        var answer = page("/", cookie());
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'")
                .contains("script-src 'self'")
                .contains("frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(answer.headers().map()).doesNotContainKey("Access-Control-Allow-Origin");
        assertThat(answer.body())
                .doesNotContain(" style=")
                .doesNotContain(" onclick=")
                .doesNotContain("<script>");
    }

    @Test
    void invalid_forms_and_addresses_are_refused_with_an_explanation() throws Exception {
        var cookie = cookie();
        var run = sh("sleep 600");
        assertThat(page("/runs/r_nothing", cookie).statusCode()).isEqualTo(404);
        assertThat(page("/older?before=%3Cscript%3E", cookie).statusCode()).isEqualTo(400);
        assertThat(page("/assets/../../etc/passwd", cookie).statusCode()).isEqualTo(404);
        assertThat(page("/assets/none/roost.css", cookie).body()).contains("There is nothing at this address");
        assertThat(page("/runs/" + run + "/live?cursor=x", cookie).statusCode()).isEqualTo(400);
        var here = new String[] {"Origin", address(), "HX-Request", "true"};
        assertThat(submit("/runs/" + run + "/send", cookie, "message=%zz", here).statusCode())
                .isEqualTo(400);
        assertThat(submit("/runs/" + run + "/send", cookie, "message=", here).statusCode())
                .isEqualTo(400);
        assertThat(submit("/runs/" + run + "/send", cookie, "message=a&more=b", here)
                        .statusCode())
                .isEqualTo(400);
        var deaf = submit("/runs/" + run + "/send", cookie, "message=hello", here);
        assertThat(deaf.statusCode()).isEqualTo(403);
        assertThat(deaf.body()).contains("accepts no messages while it works");
        var closed = submit("/runs/" + run + "/answer", cookie, "answer=allow&question=q9", here);
        assertThat(closed.body()).contains("not open any more");
    }
}
