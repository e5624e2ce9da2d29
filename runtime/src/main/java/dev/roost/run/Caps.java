package dev.roost.run;

/** How many runs may be live at once: of one owner, and on the machine; and what happens to one too many. */
public record Caps(int perOwner, int machine, Overflow overflow) {

    public enum Overflow {
        QUEUE,
        REFUSE
    }

    public static final Caps DEFAULT = new Caps(5, 20, Overflow.QUEUE);
    public static final Caps NONE = new Caps(Integer.MAX_VALUE, Integer.MAX_VALUE, Overflow.QUEUE);
}
