package dev.roost.transfer;

/** How much may travel, in bytes. */
public record BundleLimits(long conversation, long work) {

    public static final BundleLimits DEFAULT = new BundleLimits(64L << 20, 256L << 20);
}
