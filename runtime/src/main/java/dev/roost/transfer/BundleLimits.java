package dev.roost.transfer;

/** The size limits of a transfer bundle, in bytes. */
public record BundleLimits(long conversation, long work) {

    public static final BundleLimits DEFAULT = new BundleLimits(64L << 20, 256L << 20);
}
