package dev.roost.agents.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentState;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.FinalReport;
import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.model.Budget;
import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Drives a dialog and records its events, so that another dialog can replay them. */
final class AcpReplay {

    static final JsonMapper JSON = new JsonMapper();
    static final String SESSION = "{\"sessionId\":\"s1\"}";

    private sealed interface Event {
        record Line(String text) implements Event {}

        record Sent(AgentInput message) implements Event {}
    }

    final Deque<JsonNode> sent = new ArrayDeque<>();
    private final AttemptJob job;
    private final AcpProtocol protocol;
    private final List<Event> events = new ArrayList<>();
    private final List<List<AgentOutput>> said = new ArrayList<>();

    AcpReplay(AttemptJob job) {
        this.job = job;
        this.protocol = new AcpProtocol(job);
        sent.add(JSON.readTree(protocol.firstLine()));
    }

    static AcpReplay with(Permissions permissions) {
        return new AcpReplay(job(permissions, "do it", Optional.empty()));
    }

    static AttemptJob job(Permissions permissions, String prompt, Optional<String> session) {
        var profile = new AgentProfile(
                "it",
                "acp",
                List.of("it", "--acp"),
                Optional.empty(),
                List.of(),
                permissions,
                Optional.empty(),
                Map.of());
        return new AttemptJob(
                profile,
                new Task(List.of(), Optional.of(prompt)),
                Path.of("/home/u/work"),
                Path.of("/home/u/prompt"),
                Budget.ofOutput(1000),
                session,
                Usage.NONE,
                false);
    }

    List<AgentOutput> read(String line) {
        return process(new Event.Line(line));
    }

    List<AgentOutput> send(AgentInput message) {
        return process(new Event.Sent(message));
    }

    private List<AgentOutput> process(Event event) {
        events.add(event);
        var now = process(protocol, event);
        said.add(now);
        of(now, AgentOutput.StdinLine.class)
                .map(AgentOutput.StdinLine::line)
                .map(JSON::readTree)
                .forEach(sent::add);
        return now;
    }

    private static List<AgentOutput> process(AcpProtocol protocol, Event event) {
        return switch (event) {
            case Event.Line(var text) -> protocol.parseLine(text);
            case Event.Sent(var message) -> protocol.encode(message);
        };
    }

    /** Answers the latest request, as a new agent does. */
    List<AgentOutput> answer(String result) {
        return read("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}"
                .formatted(sent.removeLast().path("id"), result));
    }

    List<AgentOutput> update(String update) {
        return read("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":%s}}".formatted(update));
    }

    /** Answers all requests before the first prompt. */
    AcpReplay opened(String session) {
        answer("{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}");
        answer(session);
        return this;
    }

    static <T extends AgentOutput> Stream<T> of(List<AgentOutput> said, Class<T> kind) {
        return said.stream().filter(kind::isInstance).map(kind::cast);
    }

    <T extends AgentOutput> List<T> all(Class<T> kind) {
        return of(flat(said), kind).toList();
    }

    AgentState state() {
        return state(flat(said));
    }

    List<String> text() {
        return all(AgentOutput.Text.class).stream().map(AgentOutput.Text::text).toList();
    }

    List<String> tools() {
        return all(AgentOutput.ToolStarted.class).stream()
                .map(AgentOutput.ToolStarted::what)
                .toList();
    }

    List<String> questions() {
        return all(AgentOutput.QuestionAsked.class).stream()
                .map(AgentOutput.QuestionAsked::question)
                .map(Question::text)
                .toList();
    }

    FinalReport last() {
        return state().finalReport().orElseThrow();
    }

    Optional<FinalReport.Failure> failure() {
        return state().finalReport()
                .filter(FinalReport.Failure.class::isInstance)
                .map(FinalReport.Failure.class::cast);
    }

    private static List<AgentOutput> flat(List<List<AgentOutput>> said) {
        return said.stream().flatMap(List::stream).toList();
    }

    private static AgentState state(List<AgentOutput> said) {
        var state = AgentState.NOTHING;
        for (var one : said) state = state.apply(one);
        return state;
    }

    private static Map<String, String> lines(List<AgentOutput> said) {
        var lines = new TreeMap<String, String>();
        of(said, AgentOutput.StdinLine.class)
                .forEach(one -> assertThat(lines.put(one.key(), one.line()))
                        .as("each key is used once")
                        .isNull());
        return lines;
    }

    /** Restarts the daemon after each event: it restores the deliveries, reads all lines again, and continues. */
    void assertSameAfterAnyRestart() {
        for (int restart = 0; restart <= events.size(); restart++) {
            var before = flat(said.subList(0, restart));
            var sentBefore = lines(before);
            var past = events.subList(0, restart);
            var restarted = new AcpProtocol(job);
            var replayed = new ArrayList<AgentOutput>();
            var messages = inputs(past);
            messages.stream()
                    .filter(input -> sentBefore.containsKey(input.key()))
                    .forEach(restarted::encode);
            for (var event : past) if (event instanceof Event.Line) replayed.addAll(process(restarted, event));
            assertThat(lines(replayed)).isEqualTo(sentBefore);
            assertThat(state(replayed)).isEqualTo(state(before));

            messages.stream()
                    .filter(input -> !sentBefore.containsKey(input.key()))
                    .forEach(input -> assertThat(restarted.encode(input)).isEmpty());
            for (int i = restart; i < events.size(); i++)
                assertThat(process(restarted, events.get(i))).isEqualTo(said.get(i));
        }
    }

    private static List<AgentInput> inputs(List<Event> events) {
        return events.stream()
                .filter(Event.Sent.class::isInstance)
                .map(event -> ((Event.Sent) event).message())
                .toList();
    }

    /** Replays all events with incomplete and invalid lines before each line. */
    void assertSameDespiteGarbage() {
        var other = new AcpProtocol(job);
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i) instanceof Event.Line(var text)) {
                for (var garbage : List.of(
                        "",
                        "null",
                        "[1]",
                        "{}",
                        "warning: {",
                        text.substring(0, text.length() / 2),
                        text.substring(text.length() / 2),
                        "{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{\"stopReason\":\"end_turn\"}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"_auth/status_update\",\"params\":{}}",
                        "{\"method\":\"session/update\",\"params\":[]}",
                        "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":\"plan\",\"entries\":[]}}}",
                        "{\"method\":\"session/request_permission\"}"))
                    assertThat(other.parseLine(garbage)).as(garbage).isEmpty();
            }
            assertThat(process(other, events.get(i))).isEqualTo(said.get(i));
        }
    }
}
