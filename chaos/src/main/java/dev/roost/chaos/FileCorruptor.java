package dev.roost.chaos;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Truncates or garbles one file while no daemon runs, as a crash or a failing disk would. Of the ledger it damages only what is
 * behind the committed part.
 */
final class FileCorruptor {

    private static final String EXIT = "1/exit";
    private static final List<String> FILES =
            List.of(EXIT, "1/start", "1/spec.json", "1/out", "output.md", "transcript.jsonl");

    private final ChaosSession session;

    FileCorruptor(ChaosSession session) {
        this.session = session;
    }

    boolean corruptOne(int pick, int amount) {
        try {
            if (pick % 7 == 0) return garbageBehindTheLog(amount);
            String wanted = FILES.get(pick % FILES.size());
            var files = new ArrayList<Path>();
            for (var attempt : session.home.live()) {
                var file = attempt.directory().resolveSibling(wanted);
                if (ChaosHome.isWritten(file)) files.add(file);
            }
            if (wanted.equals(EXIT)) endedExit(amount).ifPresent(files::add);
            return files.isEmpty() ? garbageBehindTheLog(amount) : damage(files.get(amount % files.size()), amount);
        } catch (IOException e) {
            session.note("torn_file: " + e.getMessage());
            return false;
        }
    }

    /** The exit record of an agent that ends now, while no daemon runs. */
    private Optional<Path> endedExit(int amount) {
        var live = session.home.live();
        if (live.isEmpty()) return Optional.empty();
        var chosen = live.get(amount % live.size());
        session.harmed.add(chosen.runId());
        chosen.agent().kill();
        var file = chosen.directory().resolveSibling(EXIT);
        return BoundedWait.awaitCondition(() -> ChaosHome.isWritten(file), 1000) ? Optional.of(file) : Optional.empty();
    }

    private boolean damage(Path file, int amount) throws IOException {
        var name = session.home.home().resolve("runs").relativize(file);
        session.harmed.add(name.getName(0).toString());
        long size = Files.size(file);
        long cut = size * (amount % 100) / 100;
        boolean garble = amount % 2 == 0 && size > 0;
        session.note("torn_file: %s, %s at %d of %d".formatted(name, garble ? "garbled" : "cut", cut, size));
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (garble) channel.write(java.nio.ByteBuffer.wrap(noise((int) Math.min(size - cut, 64), amount)), cut);
            else channel.truncate(cut);
        }
        return true;
    }

    private boolean garbageBehindTheLog(int amount) throws IOException {
        var log = session.home.home().resolve("roost.db-wal");
        if (!Files.exists(log)) return false;
        session.note("torn_file: garbage behind " + log.getFileName());
        Files.write(log, noise(100 + amount * 8, amount), StandardOpenOption.APPEND);
        return true;
    }

    private static byte[] noise(int length, int seed) {
        var noise = new byte[length];
        new Random(seed).nextBytes(noise);
        return noise;
    }
}
