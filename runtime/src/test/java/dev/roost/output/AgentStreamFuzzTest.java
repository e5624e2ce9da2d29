package dev.roost.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AgentState;
import dev.roost.agents.FinalReport;
import dev.roost.agents.driver.Drivers;
import dev.roost.fuzz.AgentStreamSamples;
import dev.roost.fuzz.FuzzRunner;
import dev.roost.home.RawStream;
import dev.roost.model.Exit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An arbitrary agent stream causes no exception, no hang and no false success. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentStreamFuzzTest {

    private static final int DEFAULT_CASES = 400;
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path scratch;

    /** The lines as read from the file, which is written in two pieces split at a random offset. */
    private List<String> lines(byte[] input, Random random) throws IOException {
        var file = scratch.resolve("out");
        Files.deleteIfExists(file);
        var lines = new ArrayList<String>();
        var stream = new RawStream(file, 0);
        int first = random.nextInt(input.length + 1);
        Files.write(file, java.util.Arrays.copyOf(input, first));
        stream.lines(1 + random.nextInt(1 << 20), false, lines::add);
        Files.write(file, input);
        while (stream.lines(1 << 20, false, lines::add)) {
            // until all is read
        }
        stream.lines(Long.MAX_VALUE, true, lines::add);
        return lines;
    }

    private static AgentState parseAll(
            AgentProtocol protocol, List<String> lines, Exit exit, List<AgentOutput> all, Random random) {
        var state = AgentState.NOTHING;
        for (var line : lines) {
            for (var output : protocol.parseLine(line)) {
                all.add(output);
                state = state.apply(output);
                if (output instanceof AgentOutput.QuestionAsked(var question) && random.nextBoolean()) {
                    var answer =
                            new AgentInput.PermissionReply("message:1", question.id(), random.nextBoolean(), "why");
                    for (var more : protocol.encode(answer)) state = state.apply(more);
                }
            }
        }
        for (var output : protocol.onExit(exit)) {
            all.add(output);
            state = state.apply(output);
        }
        return state;
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode", "gemini", "acp"})
    void any_agent_output_is_parsed_and_only_an_explicit_success_counts(String driver) throws IOException {
        FuzzRunner.run(DEFAULT_CASES, AgentStreamSamples.of(driver), (mutations, shown) -> {
            var random = mutations.random();
            var lines = lines(shown.show(mutations.next()), random);
            var exit = List.of(new Exit(0, false), new Exit(1, false), new Exit(143, true))
                    .get(random.nextInt(3));
            var all = new ArrayList<AgentOutput>();
            long seed = random.nextLong();
            var state = parseAll(AgentStreamSamples.dialog(driver), lines, exit, all, new Random(seed));
            for (var output : all) {
                assertThat(OutputRenderer.text(output)).isNotNull();
                assertThat(OutputRenderer.json(output, 1, NOW)).matches("(\\{[^\n]*}\n)?");
            }
            assertThat(List.of(
                            state.usage().input(),
                            state.usage().cached(),
                            state.usage().output(),
                            state.usage().tokens(),
                            state.usage().costMicros().orElse(0L),
                            (long) state.usage().turns()))
                    .as("%s", state.usage())
                    .allMatch(amount -> amount >= 0);
            Drivers.of(driver).outcomeOf(exit, state.finalReport(), true);
            if (state.finalReport().orElse(null) instanceof FinalReport.Success)
                assertThat(lines).as("success").anyMatch(line -> saysSuccess(driver, line));

            var again = new ArrayList<AgentOutput>();
            parseAll(AgentStreamSamples.dialog(driver), lines, exit, again, new Random(seed));
            assertThat(again).as("parsed again by the next daemon").isEqualTo(all);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode", "gemini", "acp"})
    void a_truncated_stream_is_a_success_only_if_its_success_line_is_complete(String driver) throws IOException {
        var samples = AgentStreamSamples.of(driver);
        var whole = samples.stream()
                .flatMap(sample -> new String(sample, StandardCharsets.UTF_8).lines())
                .filter(line -> saysSuccess(driver, line))
                .collect(Collectors.toSet());
        assertThat(whole).isNotEmpty();
        var successes = new ArrayList<Long>();
        FuzzRunner.run(DEFAULT_CASES, samples, (mutations, shown) -> {
            var lines = lines(shown.show(mutations.torn(mutations.sample())), mutations.random());
            var state = parseAll(
                    AgentStreamSamples.dialog(driver), lines, new Exit(0, false), new ArrayList<>(), new Random(1));
            if (!(state.finalReport().orElse(null) instanceof FinalReport.Success)) return;
            assertThat(lines).anyMatch(whole::contains);
            successes.add(1L);
        });
        if (System.getProperty("roost.seed") == null)
            assertThat(successes).as("some streams keep their success line").isNotEmpty();
    }

    /** Detects a success line independently of the protocol classes. */
    private static boolean saysSuccess(String driver, String line) {
        JsonNode json;
        try {
            json = JSON.readTree(line);
        } catch (JacksonException e) {
            return false;
        }
        var type = json.path("type").asString("");
        return switch (driver) {
            case "claude" ->
                type.equals("result")
                        && json.path("subtype").asString("").equals("success")
                        && !json.path("is_error").asBoolean(true);
            case "codex" -> type.equals("turn.completed");
            case "gemini" ->
                type.equals("result") && json.path("status").asString("").equals("success");
            case "opencode" ->
                type.equals("step_finish")
                        && json.at("/part/reason").asString("").equals("stop");
            default -> json.at("/result/stopReason").asString("").equals("end_turn");
        };
    }
}
