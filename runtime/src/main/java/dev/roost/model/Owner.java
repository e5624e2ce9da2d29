package dev.roost.model;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import java.util.regex.Pattern;

/** The session or user that started a run: {@code <harness>:<id>}. */
public record Owner(String id) {

    private static final Pattern SHAPE = Pattern.compile("[a-z][a-z0-9-]{0,31}:[^\\p{Cc}]{1,264}");
    private static final Pattern WITH_NODE = Pattern.compile("cli:.+@[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");

    public Owner {
        if (!SHAPE.matcher(id).matches()) {
            throw ErrorCode.BAD_OWNER.error(
                    "The owner \"%s\" is not of the form harness:id.".formatted(TextFormat.printable(id)));
        }
    }

    /**
     * This owner's name in a cluster. Every machine may have a user of the same name, so a user's name gets the node's name.
     * An owner that already has a node's name does not change, nor does a session, whose id is unique.
     */
    public Owner at(String node) {
        if (!id.startsWith("cli:") || WITH_NODE.matcher(id).matches()) return this;
        return on(node);
    }

    /** The cluster name of an owner that is named by a directory only: every machine may have the same directory. */
    public Owner on(String node) {
        return node.isEmpty() ? this : new Owner(id + "@" + node);
    }

    /** The cluster name of an owner in an embedded ledger that moves to PostgreSQL: all its names belong to this machine. */
    public Owner movedTo(String node) {
        return id.indexOf(":/") == id.indexOf(':') ? on(node) : at(node);
    }

    @Override
    public String toString() {
        return id;
    }
}
