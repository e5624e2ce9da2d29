package dev.roost.agents;

/** Counts a model's answers where nobody says where one begins: after a tool has ended, what comes is a new one. */
public final class ModelTurnCounter {

    private int count;
    private boolean open;

    /** Something of an answer came; true if it began one. */
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
