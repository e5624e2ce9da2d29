package dev.roost.agent;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The input and the services that a {@link JavaAgent} gets for one turn. It is thread-safe. */
public interface Context {

    /** The prompt of this turn: the prompt that started the run, or the message that continued it. */
    String prompt();

    /** The arguments after the class name in the agent's configuration. */
    List<String> arguments();

    String runId();

    /** 1 for the run's first process. Most agents do not need it: {@link #step} handles later attempts. */
    int attempt();

    /** 1 until the run is continued by a message. */
    int turn();

    /** Whether an earlier attempt of this turn was lost and this attempt continues its work. */
    boolean resumed();

    /**
     * Executes a part of the work and stores its value in the turn's journal before it returns. An attempt that follows a loss
     * gets the stored value, and {@code work} is not executed again. A step that did not finish is executed again, so a step
     * is executed at least once.
     *
     * <p>A value is null, a string, a number (Integer, Long, Double), a boolean, an enum, a record, or a list or map (with
     * string keys) of strings, numbers and booleans; a record may hold all of these. The value is returned as it was stored,
     * also the first time. The n-th use of a name in a turn matches the n-th use in the lost attempt: steps whose order may
     * change, as with several threads, need distinct names.
     *
     * @throws IllegalArgumentException if the value is of another type
     */
    <T extends @Nullable Object, X extends Exception> T step(String name, Step<T, X> work) throws X;

    /** Writes text to the run's output. Lines printed to {@code System.out} appear there too, as notes. */
    void say(String text);

    /** Records the usage of one model call. The sum of all calls counts against the run's budget. */
    void used(long inputTokens, long outputTokens, double costUsd);

    /** The run's private directory. Its files stay for later attempts and turns. */
    Path directory();

    /** A part of the work. */
    @FunctionalInterface
    interface Step<T extends @Nullable Object, X extends Exception> {
        T take() throws X;
    }
}
