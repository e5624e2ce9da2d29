package dev.roost.agents;

/** Counts a model's answers for agents that do not mark them: output after the end of a tool begins a new answer. */
public final class ModelTurnCounter {

    private int count;
    private boolean open;

    /** Registers a part of an answer; true if it begins a new one. */
    public boolean partReceived() {
        boolean begins = !open;
        if (begins) count++;
        open = true;
        return begins;
    }

    public void toolEnded() {
        open = false;
    }

    public int count() {
        return count;
    }
}
