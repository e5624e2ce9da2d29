package dev.roost.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.run.Budget;
import dev.roost.run.Question;
import dev.roost.run.Usage;
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

/** A dialog and everything that happened to it, so that the same can happen to another one. */
final class AcpScene {

    static final JsonMapper JSON = new JsonMapper();
    static final String SESSION = "{\"sessionId\":\"s1\"}";

    private sealed interface Event {
        record Line(String text) implements Event {}

        record Told(Message message) implements Event {}
    }

    final Deque<JsonNode> sent = new ArrayDeque<>();
    private final Job job;
    private final AcpDialog dialog;
    private final List<Event> events = new ArrayList<>();
    private final List<List<Said>> said = new ArrayList<>();

    AcpScene(Job job) {
        this.job = job;
        this.dialog = new AcpDialog(job);
        sent.add(JSON.readTree(dialog.firstLine()));
    }

    static AcpScene with(Permissions permissions) {
        return new AcpScene(job(permissions, "do it", Optional.empty()));
    }

    static Job job(Permissions permissions, String prompt, Optional<String> session) {
        var profile = new Profile(
                "it",
                "acp",
                List.of("it", "--acp"),
                Optional.empty(),
                List.of(),
                permissions,
                Optional.empty(),
                Map.of());
        return new Job(
                profile,
                new Task(List.of(), Optional.of(prompt)),
                Path.of("/home/u/work"),
                Path.of("/home/u/prompt"),
                Budget.ofOutput(1000),
                session,
                Usage.NONE,
                false);
    }

    List<Said> hear(String line) {
        return happens(new Event.Line(line));
    }

    List<Said> tell(Message message) {
        return happens(new Event.Told(message));
    }

    private List<Said> happens(Event event) {
        events.add(event);
        var now = happens(dialog, event);
        said.add(now);
        of(now, Said.Send.class).map(Said.Send::line).map(JSON::readTree).forEach(sent::add);
        return now;
    }

    private static List<Said> happens(AcpDialog dialog, Event event) {
        return switch (event) {
            case Event.Line(var text) -> dialog.hear(text);
            case Event.Told(var message) -> dialog.tell(message);
        };
    }

    /** The answer to the latest request, as an agent without a past gives it. */
    List<Said> answer(String result) {
        return hear("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}"
                .formatted(sent.removeLast().path("id"), result));
    }

    List<Said> update(String update) {
        return hear("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":%s}}".formatted(update));
    }

    /** As far as the first prompt. */
    AcpScene opened(String session) {
        answer("{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}");
        answer(session);
        return this;
    }

    static <T extends Said> Stream<T> of(List<Said> said, Class<T> kind) {
        return said.stream().filter(kind::isInstance).map(kind::cast);
    }

    <T extends Said> List<T> all(Class<T> kind) {
        return of(flat(said), kind).toList();
    }

    Heard heard() {
        return heard(flat(said));
    }

    List<String> text() {
        return all(Said.Text.class).stream().map(Said.Text::text).toList();
    }

    List<String> tools() {
        return all(Said.ToolStarted.class).stream().map(Said.ToolStarted::what).toList();
    }

    List<String> questions() {
        return all(Said.Asks.class).stream()
                .map(Said.Asks::question)
                .map(Question::text)
                .toList();
    }

    LastWord last() {
        return heard().last().orElseThrow();
    }

    Optional<LastWord.Failure> failure() {
        return heard().last().filter(LastWord.Failure.class::isInstance).map(LastWord.Failure.class::cast);
    }

    private static List<Said> flat(List<List<Said>> said) {
        return said.stream().flatMap(List::stream).toList();
    }

    private static Heard heard(List<Said> said) {
        var heard = Heard.NOTHING;
        for (var one : said) heard = heard.and(one);
        return heard;
    }

    private static Map<String, String> lines(List<Said> said) {
        var lines = new TreeMap<String, String>();
        of(said, Said.Send.class)
                .forEach(one -> assertThat(lines.put(one.key(), one.line()))
                        .as("a key is used once")
                        .isNull());
        return lines;
    }

    /** A daemon comes back after each event: it tells what was delivered, hears all lines anew, and then goes on. */
    void comesOutTheSameAfterARestartAnywhere() {
        for (int restart = 0; restart <= events.size(); restart++) {
            var before = flat(said.subList(0, restart));
            var sentBefore = lines(before);
            var past = events.subList(0, restart);
            var again = new AcpDialog(job);
            var heardAgain = new ArrayList<Said>();
            var letters = letters(past);
            letters.stream()
                    .filter(letter -> sentBefore.containsKey(letter.key()))
                    .forEach(again::tell);
            for (var event : past) if (event instanceof Event.Line) heardAgain.addAll(happens(again, event));
            assertThat(lines(heardAgain)).isEqualTo(sentBefore);
            assertThat(heard(heardAgain)).isEqualTo(heard(before));

            letters.stream()
                    .filter(letter -> !sentBefore.containsKey(letter.key()))
                    .forEach(letter -> assertThat(again.tell(letter)).isEmpty());
            for (int i = restart; i < events.size(); i++)
                assertThat(happens(again, events.get(i))).isEqualTo(said.get(i));
        }
    }

    private static List<Message> letters(List<Event> events) {
        return events.stream()
                .filter(Event.Told.class::isInstance)
                .map(event -> ((Event.Told) event).message())
                .toList();
    }

    /** Half lines, and lines that mean nothing to us, before every line. */
    void isTheSameAmongGarbage() {
        var other = new AcpDialog(job);
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
                    assertThat(other.hear(garbage)).as(garbage).isEmpty();
            }
            assertThat(happens(other, events.get(i))).isEqualTo(said.get(i));
        }
    }
}
