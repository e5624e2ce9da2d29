package dev.roost.model;

/** How many runs may be live at once, for one owner and on the machine, and what happens to a run above a cap. */
public record Caps(int perOwner, int machine, Overflow overflow) {

    public enum Overflow {
        QUEUE,
        REFUSE
    }

    /**
     * These caps for an owner with a refusing cap {@code own}. Where overflow refuses, the smaller owner cap holds; where it
     * queues, only {@code own} refuses.
     */
    public Caps refusingMoreThan(int own) {
        return overflow == Overflow.REFUSE
                ? new Caps(Math.min(perOwner, own), machine, overflow)
                : new Caps(own, Integer.MAX_VALUE, Overflow.REFUSE);
    }

    public static final Caps DEFAULT = new Caps(5, 20, Overflow.QUEUE);
    public static final Caps NONE = new Caps(Integer.MAX_VALUE, Integer.MAX_VALUE, Overflow.QUEUE);
}
