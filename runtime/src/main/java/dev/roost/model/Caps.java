package dev.roost.model;

/** How many runs may be live at once: of one owner, and on the machine; and what happens to one too many. */
public record Caps(int perOwner, int machine, Overflow overflow) {

    public enum Overflow {
        QUEUE,
        REFUSE
    }

    /** For one who is refused more than so many of its own; where others queue, it does so within them. */
    public Caps refusingMoreThan(int own) {
        return overflow == Overflow.REFUSE
                ? new Caps(Math.min(perOwner, own), machine, overflow)
                : new Caps(own, Integer.MAX_VALUE, Overflow.REFUSE);
    }

    public static final Caps DEFAULT = new Caps(5, 20, Overflow.QUEUE);
    public static final Caps NONE = new Caps(Integer.MAX_VALUE, Integer.MAX_VALUE, Overflow.QUEUE);
}
