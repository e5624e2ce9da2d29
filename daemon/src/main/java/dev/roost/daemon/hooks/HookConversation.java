package dev.roost.daemon.hooks;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Lines;
import dev.roost.daemon.wire.Params;
import dev.roost.daemon.wire.Upgrade;
import dev.roost.house.ParentSessions;
import dev.roost.run.Parent;
import dev.roost.run.RoostError;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * {@code roost hook}: is answered with exactly what it has to print, and says when the harness has it. A hook that was cut
 * short has offered nothing.
 */
public final class HookConversation {

    private static final System.Logger LOG = System.getLogger(HookConversation.class.getName());
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(30);
    private static final String WRITTEN = "written";

    private final Hooks hooks;

    public HookConversation(Hooks hooks) {
        this.hooks = hooks;
    }

    public Upgrade hook() {
        return (hello, lines) -> {
            var answer = hear(hello);
            if (isTaken(answer, lines)) given(answer, lines);
            else answer.otherwise().run();
        };
    }

    private static boolean isTaken(Hooks.Answer answer, Lines lines) {
        try {
            lines.send(Json.MAPPER.writeValueAsString(answer.json()));
            return isWritten(lines);
        } catch (IOException e) {
            return false; // its harness did not wait for it any longer
        }
    }

    /** A harness can do nothing about what we do not understand; its session goes on. */
    private Hooks.Answer hear(@Nullable JsonNode hello) {
        try {
            var params = Params.of(hello, "harness", "event", "pid", "harness_pid", "input");
            return hooks.hear(
                    params.required("harness"),
                    params.required("event"),
                    params.text("input").orElse(""),
                    process(params),
                    Optional.empty());
        } catch (RoostError e) {
            LOG.log(System.Logger.Level.WARNING, "a hook was not understood: {0}", e.sentence());
            return Hooks.Answer.silence();
        }
    }

    private static Optional<Parent.Harness> process(Params params) {
        return params.number("pid")
                .flatMap(ParentSessions::harnessOf)
                .or(() -> params.number("harness_pid").flatMap(ParentSessions::harness));
    }

    /** Waits beside an idle session; its answer are lines of text and a last line that ends them. */
    public Upgrade wake() {
        return (hello, lines) -> {
            var params = Params.of(hello, "harness", "event", "pid", "harness_pid", "input");
            var waiting = Thread.currentThread();
            var written = new AtomicBoolean();
            var watcher = Thread.ofVirtual().start(() -> {
                written.set(isWritten(lines));
                if (!written.get()) waiting.interrupt(); // it went away
            });
            Optional<Hooks.Answer> answer = Optional.empty();
            boolean given = false;
            try {
                answer = hooks.awaitWake(
                        params.required("harness"),
                        params.text("input").orElse(""),
                        process(params),
                        AS_LONG_AS_IT_TAKES);
                if (answer.isPresent()) {
                    for (var line : answer.get().json().path("wake").asString().split("\n", -1)) lines.send(line);
                }
                lines.send(".end");
                watcher.join(); // it has been written, or nobody is there
                if (!written.get()) return; // it may have gone too early to interrupt the waiting for it
                if (answer.isPresent()) given(answer.get(), lines);
                given = true;
            } catch (InterruptedException e) {
                LOG.log(System.Logger.Level.DEBUG, "nobody waits to wake a session any more");
            } finally {
                if (!given) answer.ifPresent(one -> one.otherwise().run());
            }
        };
    }

    private static void given(Hooks.Answer answer, Lines lines) throws IOException {
        answer.afterwards().run();
        lines.send("ok");
    }

    private static boolean isWritten(Lines lines) {
        try {
            return WRITTEN.equals(lines.next());
        } catch (IOException e) {
            return false;
        }
    }
}
