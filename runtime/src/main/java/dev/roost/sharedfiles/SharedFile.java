package dev.roost.sharedfiles;

/**
 * A file as the shelf has it. A new {@code version} means that what was there before may not be any more: a file that grows
 * was cut back to {@code cutAt}, or one that is replaced as a whole was replaced.
 */
public record SharedFile(SharedFileName name, boolean whole, long version, long cutAt, long length) {}
