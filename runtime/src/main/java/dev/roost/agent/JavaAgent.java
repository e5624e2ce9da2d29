package dev.roost.agent;

import org.jspecify.annotations.Nullable;

/**
 * An agent written in Java. It runs in a separate JVM on a perch like any other agent: it can be stopped, has a budget, and
 * outlives the program that started it. The class is public and has a public constructor without parameters.
 */
public interface JavaAgent {

    /**
     * Does one turn of the work and returns the result. A null or blank result makes the run {@code completed_empty}; an
     * exception makes it {@code failed}.
     */
    @Nullable
    String work(Context context) throws Exception;
}
