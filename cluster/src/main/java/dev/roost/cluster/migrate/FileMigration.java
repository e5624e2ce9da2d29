package dev.roost.cluster.migrate;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.cluster.files.FileUploader;
import dev.roost.cluster.files.NodeFiles;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Uploads the files of a home's runs, so that every node can read them. When repeated, it sends only what is missing. */
final class FileMigration {

    private static final int AT_ONCE = 100;
    private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(10);

    private final PostgresFileStore sharedFiles;
    private final Home home;
    private final Clock clock;

    FileMigration(PostgresFileStore sharedFiles, Home home, Clock clock) {
        this.sharedFiles = sharedFiles;
        this.home = home;
        this.clock = clock;
    }

    /** A run and the number of its attempts. */
    record EndedRun(RunId run, int attempts) {

        /** The writer number of the end of the last attempt. */
        int writer() {
            return NodeFiles.writer(attempts, true);
        }
    }

    void copyAll(List<EndedRun> runs, LedgerMigration.MigrationProgress progress)
            throws IOException, InterruptedException {
        try (var uploader = new FileUploader(sharedFiles, home, clock)) {
            for (int i = 0; i < runs.size(); i += AT_ONCE) {
                progress.at("files", i, runs.size());
                copyAll(uploader, runs.subList(i, Math.min(runs.size(), i + AT_ONCE)));
            }
        }
        progress.at("files", runs.size(), runs.size());
    }

    private void copyAll(FileUploader uploader, List<EndedRun> some) throws IOException, InterruptedException {
        var present = some.stream()
                .filter(one -> Files.isDirectory(home.run(one.run).path(), LinkOption.NOFOLLOW_LINKS))
                .toList();
        for (var one : present) {
            var directory = home.run(one.run);
            uploader.becomeWriter(
                    one.run,
                    one.writer(),
                    Map.of(
                            SharedFileName.OUTPUT, PrivateFiles.size(directory.output()),
                            SharedFileName.TRANSCRIPT, PrivateFiles.size(directory.transcript())));
        }
        for (var one : present) {
            if (!uploader.flush(one.run, UPLOAD_TIMEOUT)) throw notUploaded(one.run);
            uploader.stopWriting(one.run);
            uploadResults(one);
        }
    }

    /** Uploads the results that are too long for the ledger. */
    private void uploadResults(EndedRun one) throws IOException {
        for (int n = 1; n <= one.attempts; n++) {
            var result = home.run(one.run).attempt(n).result();
            if (!PrivateFiles.exists(result) || PrivateFiles.size(result) <= AttemptResult.LEDGER_LIMIT) continue;
            try (var channel = PrivateFiles.open(result, StandardOpenOption.READ)) {
                if (sharedFiles
                        .put(one.run, one.writer(), SharedFileName.result(n), Channels.newInputStream(channel))
                        .isEmpty()) throw notUploaded(one.run);
            }
        }
    }

    private static RoostError notUploaded(RunId run) {
        return ErrorCode.MOVE_INTERRUPTED.error("The files of %s could not be sent.".formatted(run));
    }
}
