package dev.roost.checks;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Reports the start and end of each test. Tests of one class may run concurrently. */
final class CheckReport implements TestExecutionListener {

    private static final String OURS = "dev.roost.";
    private static final String CHECKS = CheckReport.class.getPackageName() + ".Check";

    /** Segments in the id of a top-level class: its engine and itself. */
    private static final int OF_A_CLASS = 2;

    private final DataOutputStream out;
    private final Map<String, Long> began = new ConcurrentHashMap<>();
    private @Nullable TestPlan plan;

    CheckReport(DataOutputStream out) {
        this.out = out;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        began.put(test.getUniqueId(), System.nanoTime());
        if (!test.isTest()) return;
        send(() -> {
            out.writeByte(CheckWorker.STARTED);
            out.writeUTF(name(test));
        });
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        send(new CaseResult(CaseResult.Ending.SKIPPED, name(test), 0, reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        var passed = result.getStatus() == Status.SUCCESSFUL;
        if (passed && !test.isTest()) return;
        var ending = passed
                ? CaseResult.Ending.PASSED
                : result.getStatus() == Status.ABORTED ? CaseResult.Ending.SKIPPED : CaseResult.Ending.FAILED;
        var detail = result.getThrowable().map(CheckReport::describe).orElse("");
        long since = began.getOrDefault(test.getUniqueId(), System.nanoTime());
        send(new CaseResult(ending, name(test), (System.nanoTime() - since) / 1e9, detail));
    }

    void failed(String className, Throwable failure) {
        send(new CaseResult(CaseResult.Ending.FAILED, className, 0, describe(failure)));
    }

    private void send(CaseResult result) {
        send(() -> {
            out.writeByte(CheckWorker.CASE);
            result.write(out);
        });
    }

    private interface Writing {
        void write() throws IOException;
    }

    private void send(Writing message) {
        synchronized (out) {
            try {
                message.write();
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The path below its class, as {@code NestedRepository > test(int) > [1] 5}. */
    private String name(TestIdentifier test) {
        Optional<TestIdentifier> parent = plan == null ? Optional.empty() : plan.getParent(test);
        return parent.filter(one -> one.getUniqueIdObject().getSegments().size() > OF_A_CLASS)
                        .map(one -> name(one) + " > ")
                        .orElse("")
                + test.getDisplayName();
    }

    /** The message and Roost's stack frames; the same for causes and suppressed exceptions. */
    private static String describe(Throwable failure) {
        var frames = Stream.of(failure.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith(OURS))
                .filter(frame -> !frame.getClassName().startsWith(CHECKS))
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
        var more = new StringBuilder();
        if (failure.getCause() != null) more.append("\ncaused by ").append(describe(failure.getCause()));
        for (var one : failure.getSuppressed()) more.append("\nbesides ").append(describe(one));
        return failure + frames + more;
    }
}
