package dev.roost.supervisor;

import dev.roost.run.ProcessId;

/** What the file that a perch must make before it does anything else says. */
public sealed interface Beginning {
    record None() implements Beginning {}

    /** Made, but not written yet; or its maker died in between. */
    record Unsigned() implements Beginning {}

    record Revoked() implements Beginning {}

    record By(ProcessId perch, String bootId) implements Beginning {}
}
