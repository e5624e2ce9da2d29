package dev.roost.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One turn of an agent, within the agent's process. */
record Turn(
        String runId,
        int attempt,
        int turn,
        List<String> arguments,
        Path run,
        Journal journal,
        EventWriter eventWriter,
        UsageTotals spent)
        implements Context {

    /** The usage of all model calls. */
    static final class UsageTotals {
        private long input;
        private long output;
        private double costUsd;
        private int calls;
    }

    @Override
    public String prompt() {
        return journal.prompt();
    }

    @Override
    public boolean resumed() {
        return journal.resumed();
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the journal stores the value's type; null is a value
    public <T extends @Nullable Object, X extends Exception> T step(String name, Step<T, X> work) throws X {
        var key = journal.key(name);
        var before = journal.find(key);
        if (before.isPresent()) {
            eventWriter.note(key + ": done before");
            return (T) before.get().read(key);
        }
        eventWriter.stepBegins(key, key);
        try {
            var stepValue = StepValue.of(key, work.take());
            var value = (T) stepValue.read(key);
            journal.record(key, stepValue);
            eventWriter.stepEnded(key, false, "");
            return value;
        } catch (Throwable e) {
            eventWriter.stepEnded(key, true, AgentMain.message(e));
            throw e;
        }
    }

    @Override
    public void say(String text) {
        eventWriter.say(text);
    }

    @Override
    public void used(long inputTokens, long outputTokens, double costUsd) {
        synchronized (spent) {
            spent.input += inputTokens;
            spent.output += outputTokens;
            spent.costUsd += costUsd;
            spent.calls++;
            eventWriter.used(spent.input, spent.output, spent.costUsd, spent.calls);
        }
    }

    @Override
    public Path directory() {
        try {
            return Files.createDirectories(
                    run.resolve("own"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
