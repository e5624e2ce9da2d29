package dev.roost.agents;

import java.util.Locale;

/** How much an agent may do without asking. */
public enum Permissions {
    /** Read. Any other action needs permission if the agent can ask, and is refused otherwise. */
    SAFE,
    /** Also edit files in the working directory. */
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
