package dev.roost.transfer;

import java.nio.file.Path;

/** A file that travels: by what name, where it lies now, and what is in it. */
public record BundleEntry(String name, Path file, long bytes, String sha256) {}
