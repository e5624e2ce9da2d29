package dev.roost.checks;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The result of one test, or of a class that failed outside of its tests.
 *
 * @param detail the assertion and Roost's frames of its stack, or why the test was skipped
 */
record CaseResult(Ending ending, String name, double seconds, String detail) {

    enum Ending {
        PASSED,
        FAILED,
        SKIPPED
    }

    /** The limit of a name or detail in a message, in characters of up to three bytes. */
    private static final int LONGEST = 20_000;

    CaseResult {
        name = name.lines().findFirst().orElse("");
        detail = detail.length() <= LONGEST ? detail : detail.substring(0, LONGEST) + " …";
    }

    void write(DataOutputStream out) throws IOException {
        out.writeUTF(ending.name());
        out.writeUTF(name.length() <= LONGEST ? name : name.substring(0, LONGEST));
        out.writeDouble(seconds);
        out.writeUTF(detail);
    }

    static CaseResult read(DataInputStream in) throws IOException {
        return new CaseResult(Ending.valueOf(in.readUTF()), in.readUTF(), in.readDouble(), in.readUTF());
    }
}
