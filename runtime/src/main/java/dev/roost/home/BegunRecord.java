package dev.roost.home;

import dev.roost.model.ProcessId;

/** What the file that a perch must make before it does anything else says. */
public sealed interface BegunRecord {
    record NoRecord() implements BegunRecord {}

    /** Made, but not written yet; or its maker died in between. */
    record UnsignedRecord() implements BegunRecord {}

    record RevokedRecord() implements BegunRecord {}

    record StartedByPerch(ProcessId perch, String bootId) implements BegunRecord {}
}
