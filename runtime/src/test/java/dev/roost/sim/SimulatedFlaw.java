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

/** Typical bugs, introduced on purpose: the simulation has to find each of them. */
enum SimulatedFlaw {
    NONE,
    /** The end of an attempt ends the run's latest attempt, whatever its number. */
    NO_ATTEMPT_GUARD,
    /** The end and its notice are two commits. */
    NOTICE_OUTSIDE_THE_TRANSACTION,
    /** A process counts as alive if any process has its pid. */
    PID_ALONE,
    /** Reads of a run come from a cache that may be one second old. */
    POLL_CACHE,
    /** The exit record is read before the process is checked, instead of after. */
    RECORD_BEFORE_PROCESS,
    /** An offer is acknowledged when it is delivered. */
    ACKNOWLEDGED_WHEN_OFFERED,
    /** A launched perch that has not begun yet is not revoked. */
    NOT_REVOKED,
    /** The boot id is ignored, so a reboot is not noticed. */
    BOOT_IGNORED,
    /** A stop is passed to the attempt's loop but not stored. */
    STOP_IN_MEMORY,
    /** There is no sweep, because events are expected to arrive always. */
    NO_SWEEP,
    /** A repeated call starts another run. */
    NO_CALL_KEY,
    /** A process that vanishes without an exit record counts as successful. */
    DEATH_IS_SUCCESS,
    /** A session is woken without a check of its harness. */
    WAKES_BLINDLY,
    /** An attempt is ended without killing its processes. */
    LEAVES_ORPHANS,
    /** A daemon does not recover the attempts of its predecessor. */
    NOTHING_INHERITED,
    /** Slots are given out without a cap. */
    NO_CAPS;

    /** A ledger with this bug. */
    Ledger in(Ledger ledger, LongSupplier nanos) {
        return switch (this) {
            case NO_ATTEMPT_GUARD -> withoutAttemptGuard(ledger);
            case POLL_CACHE -> cached(ledger, nanos);
            case ACKNOWLEDGED_WHEN_OFFERED -> acknowledgedOnDelivery(ledger);
            case STOP_IN_MEMORY -> withoutDurableStops(ledger);
            case NO_CALL_KEY -> withoutCallKeys(ledger);
            case NO_CAPS -> withoutCaps(ledger);
            default -> ledger;
        };
    }

    private static Ledger withoutAttemptGuard(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public boolean finish(RunId run, int attempt, AttemptEnd end) {
                int latest = ledger.runs().find(run).orElseThrow().latest().n();
                return ledger.finish(run, latest, end);
            }
        };
    }

    private static Ledger cached(Ledger ledger, LongSupplier nanos) {
        record CachedRun(Optional<RunRecord> run, long at) {}
        Map<RunId, CachedRun> cache = new HashMap<>();
        var runs = new LedgerVariant.OfRuns(ledger) {
            @Override
            public Optional<RunRecord> find(RunId id) {
                var cached = cache.get(id);
                if (cached == null || nanos.getAsLong() - cached.at > Simulation.SECOND)
                    cached = new CachedRun(ledger.runs().find(id), nanos.getAsLong());
                cache.put(id, cached);
                return cached.run;
            }
        };
        return new LedgerVariant(ledger) {
            @Override
            public RunStore runs() {
                return runs;
            }
        };
    }

    private static Ledger acknowledgedOnDelivery(Ledger ledger) {
        var sessions = new LedgerVariant.OfSessions(ledger) {
            @Override
            public boolean markDelivered(long offer) {
                boolean written = super.markDelivered(offer);
                var notices = ledger.notices();
                notices.acknowledge(
                        notices.pending(Optional.empty()).stream()
                                .map(notice -> notice.id())
                                .toList(),
                        Optional.empty());
                return written;
            }
        };
        return new LedgerVariant(ledger) {
            @Override
            public SessionStore sessions() {
                return sessions;
            }
        };
    }

    private static Ledger withoutDurableStops(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public Optional<RunRecord> requestStop(RunId run, StopReason stop) {
                return ledger.runs().find(run);
            }

            @Override
            public void requestStop(RunId run, int attempt, StopReason stop) {}
        };
    }

    private static Ledger withoutCallKeys(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public RunRecord submit(NewRun run, Caps caps) {
                return ledger.submit(
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

    private static Ledger withoutCaps(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public List<RunRecord> claim(Caps caps, int limit) {
                return ledger.claim(Caps.NONE, limit);
            }
        };
    }
}
