package dev.roost.transfer;

import java.nio.file.Path;

/** A file of a transfer bundle: its name in the bundle, its local path, its length and its checksum. */
public record BundleEntry(String name, Path file, long bytes, String sha256) {}
