package dev.roost;

import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Broken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/** Keeps a home from growing for ever. Only ended runs are touched, and unread ones only if that is asked for. */
final class Upkeep {

    private final Rooms rooms;

    Upkeep(Rooms rooms) {
        this.rooms = rooms;
    }

    Pruned prune(Pruning wish) {
        var cutoff = rooms.clock().now().minus(wish.olderThan());
        var removed = new ArrayList<Run>();
        long freed = 0;
        long kept = 0;
        var young = new ArrayList<Run>();
        for (var run : rooms.ledger().list(Query.of(Query.Which.ALL)).reversed()) {
            long size = size(run);
            if (!removable(run, wish)) {
                kept += size;
            } else if (run.latest().endedAt().orElseThrow().isBefore(cutoff)) {
                removed.add(run);
                freed += size;
            } else {
                young.add(run);
                kept += size;
            }
        }
        for (var run : young) {
            if (wish.mostBytes().isEmpty() || kept <= wish.mostBytes().getAsLong()) break;
            removed.add(run);
            freed += size(run);
            kept -= size(run);
        }
        if (!wish.onlyLook()) removed.forEach(this::remove);
        return new Pruned(removed, freed);
    }

    private static boolean removable(Run run, Pruning wish) {
        return run.status().ended() && (wish.unreadToo() || !run.latest().unread());
    }

    /** Files first: a row without files still has its result, files without a row have nobody. */
    private void remove(Run run) {
        try {
            rooms.home().run(run.id()).delete();
        } catch (IOException e) {
            throw new Broken(
                    "prune_failed",
                    "The files of %s cannot be removed: %s.".formatted(run.id(), e.getMessage()),
                    "Look at their permissions in %s."
                            .formatted(rooms.home().run(run.id()).path()));
        }
        rooms.ledger().remove(run.id());
    }

    private long size(Run run) {
        Path directory = rooms.home().run(run.id()).path();
        if (!Files.isDirectory(directory)) return 0;
        try (var files = Files.walk(directory)) {
            long size = 0;
            for (var file : files.toList()) if (Files.isRegularFile(file)) size += Files.size(file);
            return size;
        } catch (IOException | UncheckedIOException e) {
            return 0; // somebody is removing it
        }
    }
}
