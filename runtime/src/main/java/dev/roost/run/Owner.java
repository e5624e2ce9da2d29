package dev.roost.run;

import java.util.regex.Pattern;

/** Who asked for the work: {@code <harness>:<id>}. */
public record Owner(String id) {

    private static final Pattern SHAPE = Pattern.compile("[a-z][a-z0-9-]{0,31}:[^\\p{Cntrl}]{1,200}");

    public Owner {
        if (!SHAPE.matcher(id).matches()) {
            throw new BadInput(
                    "bad_owner",
                    "The owner \"%s\" is not of the form harness:id.".formatted(Words.printable(id)),
                    "Pass one like cli:alice or claude:5f0c….");
        }
    }

    @Override
    public String toString() {
        return id;
    }
}
