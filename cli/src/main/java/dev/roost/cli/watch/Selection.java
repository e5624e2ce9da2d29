package dev.roost.cli.watch;

import dev.roost.cli.view.RunEntry;
import java.util.List;
import java.util.Optional;

/** The listed runs, the selected one, and the scroll position. */
final class Selection {

    private List<RunEntry> rows = List.of();
    private String selected = "";
    private int at;
    private int top;

    List<RunEntry> rows() {
        return rows;
    }

    Optional<RunEntry> run() {
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(at));
    }

    /** The rows that fit on the screen. */
    List<RunEntry> visible(int height) {
        return rows.subList(Math.min(top, rows.size()), Math.min(rows.size(), top + height));
    }

    /** Index of the selected row among the visible ones. */
    int chosen() {
        return at - top;
    }

    /** Keeps the selected run; if it is gone, the position. */
    void show(List<RunEntry> now) {
        rows = now;
        int same = rows.stream().map(RunEntry::id).toList().indexOf(selected);
        select(same < 0 ? at : same);
    }

    void select(int place) {
        at = Math.clamp(place, 0, Math.max(0, rows.size() - 1));
        selected = rows.isEmpty() ? "" : rows.get(at).id();
    }

    void move(int by) {
        select(at + by);
    }

    void scroll(int height) {
        top = Math.clamp(top, Math.max(0, at - height + 1), at);
        top = Math.min(top, Math.max(0, rows.size() - height));
    }
}
