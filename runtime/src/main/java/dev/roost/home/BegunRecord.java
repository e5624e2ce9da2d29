package dev.roost.home;

import dev.roost.model.ProcessId;

/** The content of the last {@code begun.<n>} file of an attempt. */
public sealed interface BegunRecord {
    record NoRecord() implements BegunRecord {}

    /** The file exists but is not written: its creator is about to write it, or died before. */
    record UnsignedRecord() implements BegunRecord {}

    record RevokedRecord() implements BegunRecord {}

    record StartedByPerch(ProcessId perch, String bootId) implements BegunRecord {}
}
