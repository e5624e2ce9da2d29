package dev.roost.cli.watch;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The listed runs, the selected one, and the scroll position. */
final class Selection {

    private List<JsonNode> rows = List.of();
    private String selected = "";
    private int at;
    private int top;

    List<JsonNode> rows() {
        return rows;
    }

    Optional<JsonNode> run() {
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(at));
    }

    /** The rows that fit on the screen. */
    List<JsonNode> visible(int height) {
        return rows.subList(Math.min(top, rows.size()), Math.min(rows.size(), top + height));
    }

    /** Index of the selected row among the visible ones. */
    int chosen() {
        return at - top;
    }

    /** Keeps the selected run; if it is gone, the position. */
    void show(List<JsonNode> now) {
        rows = now;
        for (int i = 0; i < rows.size(); i++)
            if (RunList.id(rows.get(i)).equals(selected)) {
                at = i;
                return;
            }
        select(at);
    }

    void first() {
        select(0);
    }

    void last() {
        select(rows.size() - 1);
    }

    void move(int by) {
        select(at + by);
    }

    private void select(int place) {
        at = Math.clamp(place, 0, Math.max(0, rows.size() - 1));
        selected = rows.isEmpty() ? "" : RunList.id(rows.get(at));
    }

    void scroll(int height) {
        top = Math.clamp(top, Math.max(0, at - height + 1), at);
        top = Math.min(top, Math.max(0, rows.size() - height));
    }
}
