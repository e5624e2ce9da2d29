package dev.roost.ledger.db;

import dev.roost.base.RoostError;
import dev.roost.model.RunId;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One queued write: its lock keys, its work, and the future of its answer. */
final class PendingWrite<T> {
    final long since;
    final Set<String> keys;
    private final Function<T, Collection<RunId>> about;
    private final Function<SqlConnection, T> work;
    final CompletableFuture<T> answer = new CompletableFuture<>();
    Collection<RunId> touched = Set.of();
    private @Nullable T value;
    private @Nullable RuntimeException refused;

    PendingWrite(Set<String> keys, Function<T, Collection<RunId>> about, Function<SqlConnection, T> work, long since) {
        this.since = since;
        this.keys = keys;
        this.about = about;
        this.work = work;
    }

    /** Runs the write; false if it was refused. Any other exception comes from the database and undoes the whole batch. */
    boolean run(SqlConnection handle) {
        refused = null;
        touched = Set.of();
        try {
            var answered = work.apply(handle);
            touched = about.apply(answered);
            value = answered;
            return true;
        } catch (RoostError e) {
            refused = e;
            return false;
        }
    }

    @SuppressWarnings("NullAway") // the answer of the work may be null if T is nullable
    void complete() {
        if (refused != null) answer.completeExceptionally(refused);
        else answer.complete(value);
    }
}
