package dev.roost.output;

import dev.roost.agents.driver.Drivers;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AppendFile;
import dev.roost.home.PrivateFiles;
import dev.roost.home.RawStream;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Rebuilds a missing output.md of an ended run from the transcript, from the raw stream, or else from the ledger. */
final class OutputRebuilder {

    private static final System.Logger LOG = System.getLogger(OutputRebuilder.class.getName());
    private static final JsonMapper JSON = new JsonMapper();
    private static final int FLUSH_BYTES = 1 << 16;

    private final RuntimeContext context;

    OutputRebuilder(RuntimeContext context) {
        this.context = context;
    }

    /** Does nothing if the run's directory is missing too: then the run is being removed. */
    void restore(RunRecord run) {
        var directory = context.home().run(run.id());
        if (!isGone(directory)) return;
        try {
            write(run, directory);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, run.id() + ": output.md is missing and could not be rebuilt", e);
        }
    }

    private static boolean isGone(RunDirectory directory) {
        return !Files.exists(directory.output(), LinkOption.NOFOLLOW_LINKS)
                && Files.isDirectory(directory.path(), LinkOption.NOFOLLOW_LINKS);
    }

    private synchronized void write(RunRecord run, RunDirectory directory) throws IOException {
        if (!isGone(directory)) return;
        var fresh = directory.path().resolve("output.tmp");
        try (var file = new AppendFile(fresh, 0)) {
            for (var attempt : context.ledger().runs().attempts(run.id())) {
                writeAttempt(run, attempt, directory, file);
                file.add("\n---\n%s\n".formatted(ResultCollector.inOneLine(attempt)));
            }
            file.flush();
        }
        Files.move(fresh, directory.output(), StandardCopyOption.ATOMIC_MOVE);
    }

    private void writeAttempt(RunRecord run, AttemptRecord attempt, RunDirectory directory, AppendFile file)
            throws IOException {
        long before = file.length();
        var own = directory.attempt(attempt.n());
        if (PrivateFiles.exists(directory.transcript())) transcript(directory.transcript(), attempt.n(), file);
        else if (Drivers.of(run.driver()).abilities().plainProgram())
            new RawStream(own.out(), 0).bytes(Long.MAX_VALUE, file::append);
        file.flush();
        boolean more = Drivers.of(run.driver()).abilities().plainProgram() && !ResultCollector.isOutputResult(own);
        if (more || file.length() == before)
            file.add(context.ledger().runs().result(run.id(), attempt.n()).orElse(""));
    }

    private static void transcript(Path transcript, int attempt, AppendFile file) throws IOException {
        try (var channel = PrivateFiles.open(transcript, StandardOpenOption.READ);
                var lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    var json = JSON.readTree(line);
                    if (json.path("attempt").asInt(0) == attempt) file.add(OutputRenderer.text(json));
                } catch (JacksonException e) {
                    LOG.log(System.Logger.Level.DEBUG, "skipped a damaged transcript line", e);
                }
                if (file.waiting() > FLUSH_BYTES) file.flush();
            }
        }
    }
}
