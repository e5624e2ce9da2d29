package dev.roost.house;

import dev.roost.ledger.End;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Run;
import dev.roost.ledger.Sessions;
import dev.roost.run.Caps;
import dev.roost.run.RunId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Bugs that others have had, made on purpose: a simulation that does not find them all is worth nothing. */
enum Flaw {
    NONE,
    /** Who ends an attempt ends whichever is the latest. */
    NO_ATTEMPT_GUARD,
    /** The end is committed, and then its notice. */
    NOTICE_OUTSIDE_THE_TRANSACTION,
    /** A process is alive if some process has its pid. */
    PID_ALONE,
    /** Who looks at a run sees what somebody saw up to a second ago. */
    POLL_CACHE,
    /** The exit record is looked for, then the process, and not the other way round. */
    RECORD_BEFORE_PROCESS,
    /** What was put before a session counts as read. */
    ACKNOWLEDGED_WHEN_OFFERED,
    /** A perch that is still on its way is not told to stay away. */
    NOT_REVOKED,
    /** The machine is taken for the one it was before it restarted. */
    BOOT_IGNORED,
    /** A stop is told to who leads the attempt, and not written down. */
    STOP_IN_MEMORY,
    /** Every event arrives: there is no need to look again. */
    NO_SWEEP,
    /** A call that is made again starts another run. */
    NO_CALL_KEY,
    /** What is gone without a word was done. */
    DEATH_IS_SUCCESS,
    /** A session is woken without asking where it is. */
    WAKES_BLINDLY,
    /** An attempt is ended while its processes are left to themselves. */
    LEAVES_ORPHANS,
    /** A daemon that starts leaves alone what another had begun. */
    NOTHING_INHERITED,
    /** Slots are given out without counting. */
    NO_CAPS;

    /** The ledger as it would be with this bug. */
    Ledger in(Ledger whole, LongSupplier nanos) {
        return switch (this) {
            case NO_ATTEMPT_GUARD ->
                with(whole, "finish", arguments -> {
                    var run = (RunId) arguments[0];
                    int latest = whole.find(run).orElseThrow().latest().n();
                    return whole.finish(run, latest, (End) arguments[2]);
                });
            case POLL_CACHE -> cached(whole, nanos);
            case ACKNOWLEDGED_WHEN_OFFERED ->
                with(
                        whole,
                        "sessions",
                        _ -> with(Sessions.class, whole.sessions(), "written", arguments -> {
                            boolean written = whole.sessions().written((Long) arguments[0]);
                            var notices = whole.notices();
                            notices.acknowledge(
                                    notices.pending(Optional.empty()).stream()
                                            .map(notice -> notice.id())
                                            .toList(),
                                    Optional.empty());
                            return written;
                        }));
            case STOP_IN_MEMORY -> with(whole, "requestStop", arguments -> whole.find((RunId) arguments[0]));
            case NO_CALL_KEY ->
                with(whole, "submit", arguments -> {
                    var run = (NewRun) arguments[0];
                    return whole.submit(
                            new NewRun(
                                    run.id(),
                                    run.name(),
                                    run.owner(),
                                    run.agent(),
                                    run.driver(),
                                    run.profile(),
                                    run.description(),
                                    run.cwd(),
                                    run.budget(),
                                    run.resumeOnLoss(),
                                    run.depth(),
                                    run.parent()),
                            (Caps) arguments[1]);
                });
            case NO_CAPS -> with(whole, "claim", arguments -> whole.claim(Caps.NONE, (Integer) arguments[1]));
            default -> whole;
        };
    }

    private static Ledger cached(Ledger whole, LongSupplier nanos) {
        record Seen(Optional<Run> run, long at) {}
        Map<RunId, Seen> seen = new HashMap<>();
        return with(whole, "find", arguments -> {
            var id = (RunId) arguments[0];
            var known = seen.get(id);
            if (known == null || nanos.getAsLong() - known.at > Simulation.SECOND)
                known = new Seen(whole.find(id), nanos.getAsLong());
            seen.put(id, known);
            return known.run;
        });
    }

    private interface Instead {
        Object of(Object[] arguments);
    }

    private static Ledger with(Ledger whole, String method, Instead instead) {
        return with(Ledger.class, whole, method, instead);
    }

    private static <T> T with(Class<T> kind, T whole, String method, Instead instead) {
        return kind.cast(
                Proxy.newProxyInstance(Flaw.class.getClassLoader(), new Class<?>[] {kind}, (_, called, arguments) -> {
                    Object[] given = arguments == null ? new Object[0] : arguments;
                    return called.getName().equals(method) ? instead.of(given) : call(whole, called, given);
                }));
    }

    @SuppressWarnings("NullAway") // void methods answer null, and nobody looks
    private static Object call(Object whole, Method method, Object[] arguments) {
        try {
            return method.invoke(whole, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException known) throw known;
            if (e.getCause() instanceof Error death) throw death;
            throw new IllegalStateException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
