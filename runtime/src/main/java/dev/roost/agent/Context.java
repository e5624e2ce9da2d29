package dev.roost.agent;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link JavaAgent} is given for one turn. It may be used by several threads. */
public interface Context {

    /** What this turn is about: what the run was started with, or the message that continued it. */
    String prompt();

    /** The words after the class in the agent's configuration. */
    List<String> arguments();

    String runId();

    /** 1 for the run's first process. Most agents need not look at it: {@link #step} does. */
    int attempt();

    /** 1 until the run is continued by a message. */
    int turn();

    /** Whether an earlier attempt of this turn was lost, and this one goes on where it was. */
    boolean resumed();

    /**
     * Does a part of the work once in this turn. Its value is written down before this returns; an attempt that comes by
     * again after a loss is given that value, and {@code work} is not done. What was not finished is done again, so it happens
     * at least once.
     *
     * <p>A value is nothing, a string, a number (Integer, Long, Double), a boolean, an enum, a record, or a list or map (with
     * strings for keys) of the first four; records may hold all of these. It is given back as it was written down, also the
     * first time. The n-th use of a name in a turn is the n-th again after a loss: steps that may come in another order, as
     * those of several threads do, need names of their own.
     *
     * @throws IllegalArgumentException if the value is of another kind
     */
    <T extends @Nullable Object, X extends Exception> T step(String name, Step<T, X> work) throws X;

    /** Says something to whoever reads the run's output. What is printed to {@code System.out} is shown too, as notes. */
    void say(String text);

    /** Tells what a call of a model used. All calls together count against the run's caps. */
    void used(long inputTokens, long outputTokens, double costUsd);

    /** A directory of this run's own, for files that its later attempts and turns are to find. */
    Path directory();

    /** A part of the work. */
    @FunctionalInterface
    interface Step<T extends @Nullable Object, X extends Exception> {
        T take() throws X;
    }
}
