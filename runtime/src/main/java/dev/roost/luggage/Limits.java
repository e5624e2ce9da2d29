package dev.roost.luggage;

/** How much may travel, in bytes. */
public record Limits(long conversation, long work) {

    public static final Limits DEFAULT = new Limits(64L << 20, 256L << 20);
}
