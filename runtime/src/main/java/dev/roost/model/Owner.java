package dev.roost.model;

import dev.roost.base.BadInput;
import dev.roost.base.TextFormat;
import java.util.regex.Pattern;

/** Who asked for the work: {@code <harness>:<id>}. */
public record Owner(String id) {

    private static final Pattern SHAPE = Pattern.compile("[a-z][a-z0-9-]{0,31}:[^\\p{Cc}]{1,264}");
    private static final Pattern SOMEWHERE = Pattern.compile("cli:.+@[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");

    public Owner {
        if (!SHAPE.matcher(id).matches()) {
            throw new BadInput(
                    "bad_owner",
                    "The owner \"%s\" is not of the form harness:id.".formatted(TextFormat.printable(id)),
                    "Pass one like cli:alice or claude:5f0c….");
        }
    }

    /**
     * As whom the others of a cluster know it: every machine may have a user of that name, so he gets the name of his node. One
     * that says already where it is from stays as it is, and so do sessions, whose ids are nobody else's.
     */
    public Owner at(String node) {
        if (!id.startsWith("cli:") || SOMEWHERE.matcher(id).matches()) return this;
        return on(node);
    }

    /** The same for one that is known by its directory alone, whatever that is called: every machine may have one like it. */
    public Owner on(String node) {
        return node.isEmpty() ? this : new Owner(id + "@" + node);
    }

    /** For a row of a home's own ledger that comes into a shared one: there every name was one of this machine. */
    public Owner movedTo(String node) {
        return id.indexOf(":/") == id.indexOf(':') ? on(node) : at(node);
    }

    @Override
    public String toString() {
        return id;
    }
}
