package dev.roost.agents.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.testing.AgentTranscript;
import dev.roost.model.Usage;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Invalid numbers in an agent's output, found by fuzzing: they break nothing and are ignored. */
class ProtocolNumberRangeTest {

    private static List<AgentOutput> read(String cli, String... lines) {
        return List.of(lines).stream()
                .flatMap(
                        line -> Drivers.of(cli).dialog(AgentTranscript.job(cli)).orElseThrow().parseLine(line).stream())
                .toList();
    }

    private static Optional<AgentOutput.RateLimit> limit(List<AgentOutput> said) {
        return said.stream()
                .flatMap(one -> one instanceof AgentOutput.RateLimit limited ? Optional.of(limited).stream() : null)
                .findFirst();
    }

    @Test
    void a_limit_with_an_invalid_time_is_a_limit_without_a_time() {
        assertThat(
                        limit(
                                read(
                                        "claude",
                                        "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":9223372036854775807}}")))
                .hasValueSatisfying(limited -> assertThat(limited.until()).isEmpty());
        assertThat(
                        limit(
                                read(
                                        "opencode",
                                        "{\"type\":\"error\",\"timestamp\":1e400,\"error\":{\"data\":{\"statusCode\":429,\"responseHeaders\":{\"retry-after\":\"5\"}}}}")))
                .hasValueSatisfying(limited -> assertThat(limited.until()).isEmpty());
        assertThat(
                        limit(
                                read(
                                        "gemini",
                                        "{\"type\":\"result\",\"status\":\"error\",\"timestamp\":\"+1000000000-12-31T23:59:59Z\",\"error\":{\"message\":\"quota: after 999999h\"}}")))
                .hasValueSatisfying(limited -> assertThat(limited.until()).isEmpty());
    }

    @Test
    void usage_is_never_negative_and_never_overflows() {
        var negative = new Usage(-1, Long.MIN_VALUE, -5, Optional.of(-7L), -3);
        assertThat(negative).isEqualTo(new Usage(0, 0, 0, Optional.of(0L), 0));
        var most = new Usage(Long.MAX_VALUE, 1, Long.MAX_VALUE, Optional.of(Long.MAX_VALUE), Integer.MAX_VALUE);
        assertThat(most.plus(most).plus(most).tokens()).isPositive().isGreaterThanOrEqualTo(most.tokens());
        assertThat(most.plus(most).costMicros())
                .hasValueSatisfying(cost -> assertThat(cost).isPositive());
    }
}
