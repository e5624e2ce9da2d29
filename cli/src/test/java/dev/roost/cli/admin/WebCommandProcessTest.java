package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.client.CliError;
import dev.roost.cli.testing.CliFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code roost web}. */
class WebCommandProcessTest extends CliFixture {

    private static HttpResponse<String> get(String address, String... headers) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(address));
            return client.send(
                    (headers.length == 0 ? request : request.headers(headers)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void web_prints_a_link_that_signs_one_browser_in() throws Exception {
        var link = cold("web").ok().out().strip();
        var cookie = get(link).headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        assertThat(get(link).statusCode()).isEqualTo(401);
        var address = roost("web", "--json").ok().json().path("address").asString();
        assertThat(get(address + "/", "Cookie", cookie).body()).contains("Fleet");
        assertThat(roost("token", "list").ok().out()).contains("the page, in a browser");
        var id = roost("token", "list", "--json")
                .ok()
                .json()
                .path("tokens")
                .get(0)
                .path("token_id")
                .asString();
        roost("token", "revoke", id).ok();
        assertThat(get(address + "/", "Cookie", cookie).statusCode()).isEqualTo(401);
    }

    @Test
    void web_is_refused_to_agents() {
        var refused = coldWith("", Map.of("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "abc"), "web");
        assertThat(refused.exit()).isEqualTo(CliError.REFUSED);
        assertThat(refused.err()).contains("Only a person may open the page");
    }

    @Test
    void web_reports_that_http_is_off() throws Exception {
        var config = scratch.resolve("config/roost/config.toml");
        java.nio.file.Files.createDirectories(config.getParent());
        java.nio.file.Files.writeString(config, "http = \"off\"\n");
        assertThat(roost("web").exit()).isEqualTo(CliError.REFUSED);
        assertThat(roost("web").err()).contains("HTTP is off");
    }
}
