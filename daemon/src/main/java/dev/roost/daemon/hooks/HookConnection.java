package dev.roost.daemon.hooks;

import dev.roost.base.RoostError;
import dev.roost.daemon.api.LineConnection;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.model.OwnerSession;
import dev.roost.sessions.OwnerSessions;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Serves {@code roost hook}. The answer is exactly the text to print; the hook confirms when the harness has it. Without that
 * confirmation, the offer is canceled.
 */
public final class HookConnection {

    private static final System.Logger LOG = System.getLogger(HookConnection.class.getName());
    private static final Duration WAKE_TIMEOUT = Duration.ofDays(30);
    private static final String WRITTEN = "written";

    private final HookService hooks;

    public HookConnection(HookService hooks) {
        this.hooks = hooks;
    }

    public LineConnection.Upgrade hook() {
        return (hello, lines) -> {
            var answer = handle(hello);
            if (isConfirmed(answer, lines)) deliver(answer, lines);
            else answer.onUndelivered().run();
        };
    }

    private static boolean isConfirmed(HookService.HookReply answer, LineConnection lines) {
        try {
            lines.send(RunJson.MAPPER.writeValueAsString(answer.json()));
            return isWritten(lines);
        } catch (IOException e) {
            return false; // the harness no longer waits for the hook
        }
    }

    /** Handles the hook. Errors are only logged, because a harness cannot act on them and its session must go on. */
    private HookService.HookReply handle(@Nullable JsonNode hello) {
        try {
            var requestFields = RequestFields.of(hello, "harness", "event", "pid", "harness_pid", "input");
            return hooks.handle(
                    requestFields.required("harness"),
                    requestFields.required("event"),
                    requestFields.text("input").orElse(""),
                    process(requestFields),
                    Optional.empty());
        } catch (RoostError e) {
            LOG.log(System.Logger.Level.WARNING, "a hook's report was invalid: {0}", e.sentence());
            return HookService.HookReply.silence();
        }
    }

    private static Optional<OwnerSession.HarnessProcess> process(RequestFields requestFields) {
        return requestFields
                .number("pid")
                .flatMap(OwnerSessions::harnessOf)
                .or(() -> requestFields.number("harness_pid").flatMap(OwnerSessions::harness));
    }

    /** Waits until Roost wakes the idle session. The answer is lines of text, and a last line {@code .end}. */
    public LineConnection.Upgrade wake() {
        return (hello, lines) -> {
            var requestFields = RequestFields.of(hello, "harness", "event", "pid", "harness_pid", "input");
            var waiting = Thread.currentThread();
            var written = new AtomicBoolean();
            var watcher = Thread.ofVirtual().start(() -> {
                written.set(isWritten(lines));
                if (!written.get()) waiting.interrupt(); // the hook has disconnected
            });
            Optional<HookService.HookReply> answer = Optional.empty();
            boolean delivered = false;
            try {
                answer = hooks.awaitWake(
                        requestFields.required("harness"),
                        requestFields.text("input").orElse(""),
                        process(requestFields),
                        WAKE_TIMEOUT);
                if (answer.isPresent()) {
                    for (var line : answer.get().json().path("wake").asString().split("\n", -1)) lines.send(line);
                }
                lines.send(".end");
                watcher.join(); // the hook confirmed, or it disconnected
                if (!written.get()) return; // it may have disconnected before the interrupt could take effect
                if (answer.isPresent()) deliver(answer.get(), lines);
                delivered = true;
            } catch (InterruptedException e) {
                LOG.log(System.Logger.Level.DEBUG, "a hook stopped waiting for its session's wake");
            } finally {
                if (!delivered) answer.ifPresent(one -> one.onUndelivered().run());
            }
        };
    }

    private static void deliver(HookService.HookReply answer, LineConnection lines) throws IOException {
        answer.onDelivered().run();
        lines.send("ok");
    }

    private static boolean isWritten(LineConnection lines) {
        try {
            return WRITTEN.equals(lines.next());
        } catch (IOException e) {
            return false;
        }
    }
}
