package dev.roost.agent;

import org.jspecify.annotations.Nullable;

/**
 * An agent written in Java. It has a JVM of its own on a perch like any other agent, so it can be stopped and capped, and it
 * outlives the program that asked for it. The class is public and has a public constructor without parameters.
 */
public interface JavaAgent {

    /**
     * Does one turn of the work. What it returns is the result, and nothing (null or blank) makes the run
     * {@code completed_empty}; what it throws makes it {@code failed}.
     */
    @Nullable
    String work(Context context) throws Exception;
}
