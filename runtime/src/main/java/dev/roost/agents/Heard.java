package dev.roost.agents;

import dev.roost.run.Question;
import dev.roost.run.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an agent has said so far, as far as it matters beyond its words. {@code tools} are those still at work. */
public record Heard(
        Optional<String> session,
        Optional<String> model,
        Usage usage,
        Map<String, String> tools,
        List<Question> questions,
        Optional<Said.Limited> limit,
        Optional<LastWord> last) {

    public static final Heard NOTHING = new Heard(
            Optional.empty(), Optional.empty(), Usage.NONE, Map.of(), List.of(), Optional.empty(), Optional.empty());

    /** Nobody uses so many tools at once; one that only ever begins them costs no more than this. */
    private static final int MOST_OPEN = 500;

    public Heard and(Said said) {
        return switch (said) {
            // some say it at each turn's beginning: then there is one more
            case Said.Session(var id) ->
                new Heard(Optional.of(id), model, usage, tools, questions, limit, Optional.empty());
            case Said.Model(var name) -> new Heard(session, Optional.of(name), usage, tools, questions, limit, last);
            case Said.Text _ -> goesOn(tools);
            case Said.ToolStarted(var id, var what) -> {
                if (tools.size() >= MOST_OPEN) yield goesOn(tools);
                var more = new LinkedHashMap<>(tools);
                more.put(id, what);
                yield goesOn(more);
            }
            case Said.ToolEnded(var id, var _, var _) -> {
                var fewer = new LinkedHashMap<>(tools);
                fewer.remove(id);
                yield goesOn(fewer);
            }
            case Said.Used(var soFar) -> new Heard(session, model, soFar, tools, questions, limit, last);
            case Said.Asks(var question) -> {
                var more = new ArrayList<>(questions);
                if (more.size() < MOST_OPEN) more.add(question);
                yield new Heard(session, model, usage, tools, more, limit, Optional.empty());
            }
            case Said.Settled(var id) ->
                new Heard(
                        session,
                        model,
                        usage,
                        tools,
                        questions.stream().filter(one -> !one.id().equals(id)).toList(),
                        limit,
                        last);
            case Said.Limited limited -> new Heard(session, model, usage, tools, questions, Optional.of(limited), last);
            case Said.Last(var word) -> new Heard(session, model, usage, Map.of(), List.of(), limit, Optional.of(word));
            case Said.Note _, Said.Send _, Said.Hangup _ -> this;
        };
    }

    /** What it says after its last word takes that back. */
    private Heard goesOn(Map<String, String> tools) {
        return new Heard(session, model, usage, tools, questions, limit, Optional.empty());
    }

    public Optional<Question> question() {
        return questions.stream().findFirst();
    }
}
