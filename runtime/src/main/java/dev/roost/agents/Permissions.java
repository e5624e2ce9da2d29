package dev.roost.agents;

import java.util.Locale;

/** How much an agent may do without asking. */
public enum Permissions {
    /** What only reads; the rest is asked where the agent can ask, and otherwise refused. */
    SAFE,
    /** Edit files where it works, too. */
    EDIT,
    /** Anything. */
    ALL;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Permissions of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
