package dev.roost.agents;

/** Counts a model's answers where nobody says where one begins: after a tool has ended, what comes is a new one. */
final class Answers {

    private int count;
    private boolean open;

    /** Something of an answer came; true if it began one. */
    boolean some() {
        boolean begins = !open;
        if (begins) count++;
        open = true;
        return begins;
    }

    void toolEnded() {
        open = false;
    }

    int count() {
        return count;
    }
}
