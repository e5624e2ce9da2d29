package dev.roost.cluster.files;

import dev.roost.node.SharedFileName;

/**
 * A file in the shared file store. A new {@code version} means that earlier content may be gone: a growing file was truncated to
 * {@code cutAt}, or a {@code whole} file was replaced.
 */
public record SharedFile(SharedFileName name, boolean whole, long version, long cutAt, long length) {}
