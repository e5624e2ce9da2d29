package dev.roost.cluster;

import dev.roost.ledger.Result;
import dev.roost.run.Broken;
import dev.roost.run.Clock;
import dev.roost.run.RunId;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The files of a home's runs, put on the shelf so that every node can read them. To be done again, it sends what is missing. */
final class MovedFiles {

    private static final int AT_ONCE = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final PostgresShelf shelf;
    private final Home home;
    private final Clock clock;

    MovedFiles(PostgresShelf shelf, Home home, Clock clock) {
        this.shelf = shelf;
        this.home = home;
        this.clock = clock;
    }

    /** A run, and how many attempts it had. */
    record Ended(RunId run, int attempts) {

        /** As whoever added the last lines to the last attempt. */
        int writer() {
            return SharedFiles.writer(attempts, true);
        }
    }

    void carry(List<Ended> runs, LedgerMove.Progress progress) throws IOException, InterruptedException {
        try (var shipper = new Shipper(shelf, home, clock)) {
            for (int i = 0; i < runs.size(); i += AT_ONCE) {
                progress.at("files", i, runs.size());
                carry(shipper, runs.subList(i, Math.min(runs.size(), i + AT_ONCE)));
            }
        }
        progress.at("files", runs.size(), runs.size());
    }

    private void carry(Shipper shipper, List<Ended> some) throws IOException, InterruptedException {
        var there = some.stream()
                .filter(one -> Files.isDirectory(home.run(one.run).path(), LinkOption.NOFOLLOW_LINKS))
                .toList();
        for (var one : there) {
            var directory = home.run(one.run);
            shipper.lead(
                    one.run,
                    one.writer(),
                    Map.of(
                            ShelfName.OUTPUT, PrivateFiles.size(directory.output()),
                            ShelfName.TRANSCRIPT, PrivateFiles.size(directory.transcript())));
        }
        for (var one : there) {
            if (!shipper.flush(one.run, PATIENCE)) throw late(one.run);
            shipper.leave(one.run);
            results(one);
        }
    }

    /** Those that are too long for the ledger. */
    private void results(Ended one) throws IOException {
        for (int n = 1; n <= one.attempts; n++) {
            var result = home.run(one.run).attempt(n).result();
            if (!PrivateFiles.exists(result) || PrivateFiles.size(result) <= Result.LEDGER_LIMIT) continue;
            try (var channel = PrivateFiles.open(result, StandardOpenOption.READ)) {
                if (shelf.put(one.run, one.writer(), ShelfName.result(n), Channels.newInputStream(channel))
                        .isEmpty()) throw late(one.run);
            }
        }
    }

    private static Broken late(RunId run) {
        return new Broken(
                "move_interrupted",
                "The files of %s could not be sent.".formatted(run),
                "Nothing is lost: do it again, and it goes on where it was.");
    }
}
