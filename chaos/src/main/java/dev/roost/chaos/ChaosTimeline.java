package dev.roost.chaos;

import java.util.ArrayList;
import java.util.List;

/** A log of actions and observations with their times. Thread-safe. */
final class ChaosTimeline {

    /** @param at seconds since chaos began */
    record Entry(double at, String what) {}

    private final long began = System.nanoTime();
    private final List<Entry> entries = new ArrayList<>();

    double now() {
        return (System.nanoTime() - began) / 1e9;
    }

    synchronized void note(String what) {
        entries.add(new Entry(now(), what));
    }

    synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }
}
