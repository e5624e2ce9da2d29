package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code roost token}. */
@CliFixture.OneDaemon
class TokenCommandProcessTest extends CliFixture {

    private int ping(String address, String secret) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(address + "/mcp"))
                    .header("Authorization", "Bearer " + secret)
                    .POST(HttpRequest.BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
            return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    void a_token_is_created_listed_and_revoked() throws Exception {
        var created = roost(
                        "token",
                        "create",
                        "--owner",
                        "claude:box",
                        "--agent",
                        "command",
                        "--max-live",
                        "2",
                        "--env",
                        "A=b=c",
                        "--expires",
                        "30d")
                .ok();
        var secret = created.out().strip();
        assertThat(secret).matches("roost_[\\w-]{43}");
        var address =
                roost("daemon", "status", "--json").ok().json().path("http").asString();
        assertThat(created.err()).contains("cannot be shown again", address + "/mcp");
        assertThat(roost("daemon", "status").ok().out()).contains(address);
        assertThat(ping(address, secret)).isEqualTo(200);

        var list = roost("token", "list").ok().out();
        assertThat(list)
                .contains("claude:box", "agents command", "at most 2 live", "with A")
                .doesNotContain(secret, "b=c");
        var token = roost("token", "list", "--json").ok().json().path("tokens").get(0);
        assertThat(token.path("directory").asString())
                .isEqualTo(scratch.toRealPath().toString());
        var id = token.path("token_id").asString();
        assertThat(roost("token", "revoke", id).ok().out()).contains(id);
        assertThat(ping(address, secret)).isEqualTo(401);
        assertThat(roost("token", "list").ok().out()).isEqualTo("There are no tokens.\n");
    }

    @Test
    void only_a_person_creates_tokens() {
        for (var words : new String[][] {{"create", "--owner", "a:b"}, {"list"}, {"revoke", "t_x"}}) {
            var ran = coldWith("", Map.of("CLAUDECODE", "1"), concat("token", words));
            assertThat(ran.exit()).isEqualTo(5);
            assertThat(ran.err()).contains("Only a person");
        }
        var inside = roost(
                "run",
                "--wait",
                "--",
                "sh",
                "-c",
                "unset ROOST_RUN_ID ROOST_OWNER; exec " + String.join(" ", command("token", "list")));
        assertThat(inside.exit()).as(inside.out()).isEqualTo(1);
        assertThat(inside.out() + inside.err()).doesNotContain("There are no tokens");
    }

    private static String[] concat(String first, String... more) {
        var all = new String[more.length + 1];
        all[0] = first;
        System.arraycopy(more, 0, all, 1, more.length);
        return all;
    }

    @Test
    void an_invalid_option_is_refused_with_a_message() {
        assertThat(roost("token", "create").err()).contains("--owner");
        assertThat(roost("token", "create", "--owner", "box").err()).contains("harness:id");
        assertThat(roost("token", "create", "--owner", "a:b", "--path-map", "/work")
                        .err())
                .contains("INSIDE=OUTSIDE");
        assertThat(roost("token", "create", "--owner", "a:b", "--path-map", "/work=/nowhere")
                        .err())
                .contains("/nowhere");
        assertThat(roost("token", "create", "--owner", "a:b", "--env", "novalue")
                        .err())
                .contains("NAME=VALUE");
        assertThat(roost("token", "create", "--owner", "a:b", "--agent", "nobody")
                        .err())
                .contains("Known agents");
        assertThat(roost("token", "create", "--owner", "a:b", "--expires", "30").err())
                .contains("no unit");
        var missing = roost("token", "revoke", "t_none", "--json");
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.json().path("error").path("code").asString()).isEqualTo("no_such_token");
        assertThat(roost("token", "create", "--help").ok().out()).contains("--launcher", "--path-map");
    }
}
