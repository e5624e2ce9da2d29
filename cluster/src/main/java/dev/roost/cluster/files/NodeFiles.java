package dev.roost.cluster.files;

import dev.roost.base.Clock;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import dev.roost.node.SharedOutput;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Uploads and downloads the shared files of this node's runs: output, transcripts, results and transfer bundles. */
public final class NodeFiles implements SharedOutput, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(NodeFiles.class.getName());

    private final PostgresFileStore sharedFiles;
    private final Home home;
    private final Ledger ledger;
    private final String self;
    private final Duration uploadInterval;
    private final FileUploader uploader;
    private final SharedFileMirror sharedFileMirror;

    public NodeFiles(
            PostgresFileStore sharedFiles,
            Home home,
            Ledger ledger,
            String self,
            Clock clock,
            Duration uploadInterval) {
        this.sharedFiles = sharedFiles;
        this.home = home;
        this.ledger = ledger;
        this.self = self;
        this.uploadInterval = uploadInterval;
        this.uploader = new FileUploader(sharedFiles, home, clock);
        this.sharedFileMirror = new SharedFileMirror(sharedFiles, home, uploader::isWriter);
    }

    @Override
    public Optional<Duration> uploadInterval() {
        return Optional.of(uploadInterval);
    }

    @Override
    public boolean upload(RunId run, int attempt, boolean ended, SharedFileName name, InputStream content)
            throws IOException {
        return sharedFiles.put(run, writer(attempt, ended), name, content).isPresent();
    }

    @Override
    public Set<SharedFileName> uploaded(RunId run) {
        return sharedFiles.list(run).stream()
                .map(SharedFile::name)
                .filter(SharedFileName::isTransfer)
                .collect(Collectors.toSet());
    }

    @Override
    public Optional<InputStream> download(RunId run, SharedFileName name) {
        return sharedFiles.find(run, name).map(file -> new SharedFileInput(sharedFiles, run, file));
    }

    @Override
    public void becomeWriter(RunId run, int attempt, boolean ended, StreamPosition at) throws IOException {
        var lengths = Map.of(SharedFileName.OUTPUT, at.outputBytes(), SharedFileName.TRANSCRIPT, at.transcriptBytes());
        sharedFileMirror.becomeWriter(run, () -> uploader.becomeWriter(run, writer(attempt, ended), lengths));
    }

    /** Orders the writers: a node that finishes an attempt after its end comes after the attempt, and before the next one. */
    public static int writer(int attempt, boolean ended) {
        return 2 * attempt + (ended ? 1 : 0);
    }

    @Override
    public void stopWriting(RunId run) {
        uploader.stopWriting(run);
    }

    @Override
    public void outputGrew(RunId run) {
        uploader.outputGrew(run);
    }

    @Override
    public boolean flush(RunId run, Duration within) {
        try {
            if (uploader.flush(run, within)) return true;
            LOG.log(System.Logger.Level.WARNING, "{0}: its output is not completely uploaded yet", run);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    @Override
    public void fetch(RunRecord run, BooleanSupplier writes) throws IOException {
        boolean all = hasAll(run); // download even then, because it waits for a download in progress
        sharedFileMirror.download(run.id(), name -> !all && !name.isTransfer() && !writes.getAsBoolean());
    }

    /** The holder of its files may have more than it could send; or less, if another node added its last lines. */
    private boolean hasAll(RunRecord run) throws IOException {
        if (!run.holder().equals(Optional.of(self))) return false;
        var attempts = ledger.runs().attempts(run.id());
        boolean others = attempts.stream()
                .skip(Math.max(0, attempts.size() - 2))
                .anyMatch(one -> one.node().filter(node -> !node.equals(self)).isPresent());
        if (others) return false; // output after the takeover is discarded
        long shared = sharedFiles
                .find(run.id(), SharedFileName.OUTPUT)
                .map(SharedFile::length)
                .orElse(0L);
        return PrivateFiles.size(home.run(run.id()).output()) >= shared;
    }

    @Override
    public void deletePrunedFiles() {
        sharedFiles.deletePruned();
    }

    @Override
    public void close() {
        uploader.close();
    }
}
