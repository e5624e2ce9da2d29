package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A response of {@code list} as the lines of {@code ps}. */
public record RunLines(JsonNode answer, boolean all) {

    public List<JsonNode> runs() {
        var runs = new ArrayList<JsonNode>();
        answer.path("runs").forEach(runs::add);
        return runs;
    }

    /** Whether the response has a next page. */
    public boolean isCut() {
        return answer.has("next_cursor");
    }

    /** At most {@code most} runs, newest first, and a line for the rest. */
    public List<String> lines(int width, int most) {
        var runs = runs();
        if (runs.isEmpty()) return none();
        var lines = new ArrayList<>(RunTable.lines(runs.subList(0, Math.min(most, runs.size())), width));
        if (runs.size() > most)
            lines.add(Style.dim("…and %s%d more.".formatted(isCut() ? "over " : "", runs.size() - most)));
        else if (isCut()) lines.add(Style.dim("…and older ones."));
        return lines;
    }

    /** All columns, without a width limit. */
    public List<String> wide() {
        return answer.path("runs").isEmpty() ? none() : RunTable.wide(runs());
    }

    private List<String> none() {
        return List.of(
                all
                        ? "No runs yet. Start one: roost run -- COMMAND"
                        : "No live or unread runs. `roost ps --all` shows the rest.");
    }
}
