package dev.roost.luggage;

import dev.roost.run.Broken;
import dev.roost.run.Refused;
import java.io.IOException;

/** Why luggage is not taken. */
final class Refusal {

    private Refusal() {}

    static Refused bad(String why) {
        return new Refused(
                "bad_luggage",
                "The luggage is refused: %s.".formatted(why),
                "Nothing was written. Pack the run again.");
    }

    static Refused tooBig(String what, long most) {
        return new Refused(
                "luggage_too_big",
                "%s is larger than %,d MiB, which is the most that travels.".formatted(what, most >> 20),
                "The run can go on only on the machine where it is.");
    }

    static Broken files(IOException e) {
        return new Broken(
                "luggage_files",
                "The luggage could not be read or written: " + e,
                "Look at the disk and its permissions.");
    }
}
