package dev.roost.sim;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.LedgerVariant;
import dev.roost.ledger.RunStore;
import dev.roost.ledger.SessionStore;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.model.StopReason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Bugs that others have had, made on purpose: a simulation that does not find them all is worth nothing. */
enum SimulatedFlaw {
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
            case NO_ATTEMPT_GUARD -> withoutAttemptGuard(whole);
            case POLL_CACHE -> cached(whole, nanos);
            case ACKNOWLEDGED_WHEN_OFFERED -> acknowledging(whole);
            case STOP_IN_MEMORY -> deafToStops(whole);
            case NO_CALL_KEY -> withoutCallKeys(whole);
            case NO_CAPS -> withoutCaps(whole);
            default -> whole;
        };
    }

    private static Ledger withoutAttemptGuard(Ledger whole) {
        return new LedgerVariant(whole) {
            @Override
            public boolean finish(RunId run, int attempt, AttemptEnd end) {
                int latest = whole.runs().find(run).orElseThrow().latest().n();
                return whole.finish(run, latest, end);
            }
        };
    }

    private static Ledger cached(Ledger whole, LongSupplier nanos) {
        record Seen(Optional<RunRecord> run, long at) {}
        Map<RunId, Seen> seen = new HashMap<>();
        var runs = new LedgerVariant.OfRuns(whole) {
            @Override
            public Optional<RunRecord> find(RunId id) {
                var known = seen.get(id);
                if (known == null || nanos.getAsLong() - known.at > Simulation.SECOND)
                    known = new Seen(whole.runs().find(id), nanos.getAsLong());
                seen.put(id, known);
                return known.run;
            }
        };
        return new LedgerVariant(whole) {
            @Override
            public RunStore runs() {
                return runs;
            }
        };
    }

    private static Ledger acknowledging(Ledger whole) {
        var sessions = new LedgerVariant.OfSessions(whole) {
            @Override
            public boolean markDelivered(long offer) {
                boolean written = super.markDelivered(offer);
                var notices = whole.notices();
                notices.acknowledge(
                        notices.pending(Optional.empty()).stream()
                                .map(notice -> notice.id())
                                .toList(),
                        Optional.empty());
                return written;
            }
        };
        return new LedgerVariant(whole) {
            @Override
            public SessionStore sessions() {
                return sessions;
            }
        };
    }

    private static Ledger deafToStops(Ledger whole) {
        return new LedgerVariant(whole) {
            @Override
            public Optional<RunRecord> requestStop(RunId run, StopReason stop) {
                return whole.runs().find(run);
            }

            @Override
            public void requestStop(RunId run, int attempt, StopReason stop) {}
        };
    }

    private static Ledger withoutCallKeys(Ledger whole) {
        return new LedgerVariant(whole) {
            @Override
            public RunRecord submit(NewRun run, Caps caps) {
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
                        caps);
            }
        };
    }

    private static Ledger withoutCaps(Ledger whole) {
        return new LedgerVariant(whole) {
            @Override
            public List<RunRecord> claim(Caps caps, int most) {
                return whole.claim(Caps.NONE, most);
            }
        };
    }
}
