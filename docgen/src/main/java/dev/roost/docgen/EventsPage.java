package dev.roost.docgen;

import dev.roost.model.EventKind;
import java.util.List;
import java.util.stream.Stream;

/** events.md: the kinds of timeline events. */
final class EventsPage {

    private EventsPage() {}

    static String text() {
        return """
                # Events

                Every event of a run is a line of its timeline: `roost show RUN` prints it, `GET /api/v1/runs/{run_id}` has it as `timeline`, and
                `GET /api/v1/events` sends each line as it is committed, under its kind. An event has `seq`, `run_id`, `owner`, `attempt`, `at`, `kind` and `text`.
                Numbers (`seq`) increase in the order of commits. A later version may add kinds, so ignore unknown ones.

                """
                + Markdown.table(
                        List.of("kind", "meaning and text"),
                        Stream.of(EventKind.values())
                                .map(kind -> List.of(Markdown.code(kind.word()), kind.meaning()))
                                .toList())
                + """
                The feed itself also sends `begin` (the number after which it begins) and `reset` (the requested number does not exist here: read
                the runs again). These are not events of a run. The stream of a run's output has two kinds of its own, `output` and `end`.
                [api.md](../api.md#what-happens) explains how to follow both.
                """;
    }
}
