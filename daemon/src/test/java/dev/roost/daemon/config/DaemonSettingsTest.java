package dev.roost.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.roost.base.BadInput;
import dev.roost.daemon.api.LoopbackAddress;
import dev.roost.daemon.testing.ConfigFileFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The settings of the surfaces: where they listen, and what they send to whom. */
class DaemonSettingsTest extends ConfigFileFixture {

    @Test
    void the_collector_comes_from_the_file_or_else_from_the_standard_variables() {
        load("[telemetry]\notlp = \"http://127.0.0.1:4318/\"\nheaders = { k = \"v\" }\ncontent = true", Map.of());
        var own = ConfigFile.surfaces(environment(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://other:1")));
        assertThat(own.telemetry())
                .contains(new TelemetrySettings(URI.create("http://127.0.0.1:4318/v1/traces"), Map.of("k", "v"), true));
        load("log_format = \"json\"", Map.of());
        var standard = ConfigFile.surfaces(environment(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "https://collector.example/base",
                "OTEL_EXPORTER_OTLP_HEADERS",
                "api-key=a%20b, x=1+1")));
        assertThat(standard.telemetry())
                .contains(new TelemetrySettings(
                        URI.create("https://collector.example/base/v1/traces"),
                        Map.of("api-key", "a b", "x", "1+1"),
                        false));
        assertThat(standard.logs()).isEqualTo(LogFormat.JSON);
        var exact = ConfigFile.surfaces(environment(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h:1/mine")));
        assertThat(exact.telemetry().orElseThrow().traces()).isEqualTo(URI.create("http://h:1/mine"));
        var shouted = ConfigFile.surfaces(environment(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "HTTPS://H/Mine")));
        assertThat(shouted.telemetry().orElseThrow().traces()).hasToString("https://H/Mine");
        assertThat(ConfigFile.surfaces(environment(Map.of())).telemetry()).isEmpty();
        load("[telemetry]\notlp = \"ftp://x\"", Map.of());
        assertThatThrownBy(() -> ConfigFile.surfaces(environment(Map.of())))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("telemetry.otlp is not an address");
        refused("[telemetry]\nprompts = true", "telemetry.prompts");
        refused("log_format = \"xml\"\nlogs = 1", "logs");
    }

    @Test
    void invalid_standard_variables_are_reported_and_do_not_stop_the_daemon() {
        var address = Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317");
        assertThat(surfaces("", address).telemetry()).isEmpty();
        assertThat(surfaces("", address).remarks())
                .singleElement(STRING)
                .contains("OTEL_EXPORTER_OTLP_ENDPOINT", "no traces");
        assertThat(surfaces(
                                "",
                                Map.of(
                                        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                                        "ftp://x",
                                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                                        "http://h"))
                        .remarks())
                .singleElement(STRING)
                .contains("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        for (var wrong : List.of("a=100%", "a b=1", "host=x")) {
            var headers =
                    Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1", "OTEL_EXPORTER_OTLP_HEADERS", wrong + ",k=v");
            assertThat(surfaces("", headers).telemetry()).as(wrong).isEmpty();
            assertThat(surfaces("", headers).remarks())
                    .as(wrong)
                    .singleElement(STRING)
                    .contains("OTEL_EXPORTER_OTLP_HEADERS")
                    .doesNotContain("100%");
            assertThat(surfaces("[telemetry]\notlp = 'http://own:1'", headers).telemetry())
                    .as("traces configured in the file work with the valid settings")
                    .contains(new TelemetrySettings(URI.create("http://own:1/v1/traces"), Map.of("k", "v"), false));
        }
        assertThat(surfaces("", Map.of("OTEL_EXPORTER_OTLP_HEADERS", "a=100%")).remarks())
                .as("traces are not configured")
                .isEmpty();
    }

    @Test
    void invalid_settings_are_refused_even_if_unused() {
        refusedOutward("http_insecure = 'perhaps'", "http_insecure", "line 1, column 1");
        refusedOutward("max_live_cluster = 0", "max_live_cluster", "line 1, column 1");
        refusedOutward("[node]\nlease = 'long'", "node.lease", "line 2, column 1");
        refusedOutward("[node]\nname = 'a b'", "node.name", "line 2, column 1");
        refusedOutward("[node]\nworker = 'perhaps'", "node.worker", "line 2, column 1");
        refusedOutward("[telemetry]\ncontent = 'perhaps'", "telemetry.content", "line 2, column 1");
        refusedOutward("[notify]\nwebhook_secret_file = 3", "notify.webhook_secret_file", "line 2, column 1");
    }

    @Test
    void of_two_settings_that_need_each_other_the_error_names_the_present_one() throws IOException {
        refusedOutward("http = '127.0.0.1:1'\nhttp_certificate = '/x'", "http_key", "line 2, column 1");
        refusedOutward("http = '127.0.0.1:1'\nhttp_key = '/x'", "http_certificate", "line 2, column 1");
        refusedOutward("max_live = 1\nhttp_names = ['x']", "http_names", "line 2, column 1");
        refusedOutward("[notify]\nwebhook = 'https://example.org/x'", "webhook_secret_file", "line 2, column 1");
        refusedOutward(
                "[notify]\nwebhook = 'https://example.org/x'\nwebhook_secret_file = '/nowhere'",
                "is no file",
                "config.toml, line 3, column 1");
    }

    @Test
    void http_listens_only_on_loopback_or_not_at_all() {
        assertThat(http("", Map.of())).isEqualTo(new HttpSetting.AutomaticPort());
        assertThat(http("http = \"off\"", Map.of())).isEqualTo(new HttpSetting.Disabled());
        assertThat(http("http = \"off\"", Map.of("ROOST_HTTP", "[::1]:7077")))
                .isEqualTo(new HttpSetting.LoopbackPort(new LoopbackAddress(InetAddress.ofLiteral("::1"), 7077)));
        for (var wrong : List.of("0.0.0.0:80", "[::]:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "on")) {
            assertThatThrownBy(() -> http("", Map.of("ROOST_HTTP", wrong)))
                    .as(wrong)
                    .isInstanceOfSatisfying(
                            BadInput.class,
                            e -> assertThat(e.sentence() + e.hint())
                                    .contains("only this machine can reach", "Correct it in ROOST_HTTP."));
        }
    }

    private HttpSetting http(String text, Map<String, String> environment) {
        return surfaces(text, environment).http();
    }

    @Test
    void a_table_of_its_own_lists_the_agents_that_models_may_start() {
        assertThat(surfaces("", Map.of()).toolAgents()).isEmpty();
        assertThat(surfaces("[tools]\nagents = ['claude', 'reviewer']", Map.of())
                        .toolAgents())
                .contains(List.of("claude", "reviewer"));
        refused("[tools]\nagent = ['claude']", "tools.agent", "Known settings here: agents");
    }

    private NotifySettings outward(String text) {
        return surfaces(text, Map.of()).notifications();
    }

    private void refusedOutward(String text, String... says) {
        assertThatThrownBy(() -> outward(text))
                .isInstanceOfSatisfying(
                        BadInput.class,
                        e -> assertThat(e.sentence() + " " + e.hint()).contains(says));
    }

    @Test
    void a_table_of_its_own_has_the_notification_channels() throws IOException {
        assertThat(outward("")).isEqualTo(NotifySettings.NONE);
        assertThat(outward("[notify]\non_notice = ['tell', '']\ngive_up = '2h'"))
                .isEqualTo(new NotifySettings(List.of("tell", ""), Optional.empty(), Duration.ofHours(2)));
        refusedOutward("[notify]\non_notice = []", "notify.on_notice", "a program and its arguments");
        refusedOutward("[notify]\non_notices = ['x']", "notify.on_notices", "Known settings here");

        var secret = scratch.resolve("secret");
        var file = "webhook_secret_file = '%s'\n".formatted(secret);
        refusedOutward("[notify]\nwebhook = 'https://example.org/x'", "notify.webhook_secret_file");
        refusedOutward("[notify]\nwebhook = 'https://example.org/x'\n" + file, "is no file", "chmod 600");
        Files.writeString(secret, "\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
        refusedOutward("[notify]\nwebhook = 'https://example.org/x'\n" + file, "can be used by others");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        refusedOutward("[notify]\nwebhook = 'https://example.org/x'\n" + file, "is empty");
        Files.writeString(secret, "hush\n");
        for (var safe :
                List.of("https://example.org/x?y=1", "http://127.0.0.1:99/", "http://[::1]/", "http://localhost/x"))
            assertThat(outward("[notify]\nwebhook = '%s'\n".formatted(safe) + file)
                            .channels())
                    .containsExactly("webhook");
        for (var unsafe : List.of(
                "http://example.org/x",
                "ftp://example.org",
                "example.org",
                "https://me:you@example.org/",
                "http://127.0.0.1.example.org/"))
            refusedOutward("[notify]\nwebhook = '%s'\n".formatted(unsafe) + file, "notify.webhook");
        assertThat(new String(new SecretFile(secret).read(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("hush");
    }
}
