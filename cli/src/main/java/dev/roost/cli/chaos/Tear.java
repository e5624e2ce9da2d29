package dev.roost.cli.chaos;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Cuts or garbles one file, as a crash or a failing disk leaves it, while no daemon runs: of the ledger only what is behind its
 * committed part.
 */
final class Tear {

    private static final List<String> FILES =
            List.of("1/exit", "1/start", "1/spec.json", "1/out", "output.md", "transcript.jsonl");

    private final Scene scene;
    private final Set<String> harmed;
    private final Timeline timeline;

    Tear(Scene scene, Set<String> harmed, Timeline timeline) {
        this.scene = scene;
        this.harmed = harmed;
        this.timeline = timeline;
    }

    boolean one(int pick, int amount) {
        try {
            if (pick % 7 == 0) return garbageBehindTheLog(amount);
            var there = new ArrayList<Path>();
            String wanted = FILES.get(pick % FILES.size());
            for (var attempt : scene.live()) {
                var file = attempt.directory().getParent().resolve(wanted);
                // an exit is there as soon as the agent is gone, which may be a moment from now
                if (wanted.equals("1/exit")) attempt.agent().kill();
                if (wanted.equals("1/exit")) Pause.until(() -> Files.exists(file), 500);
                if (Files.exists(file)) there.add(file);
                if (!there.isEmpty() && wanted.equals("1/exit")) {
                    harmed.add(attempt.runId());
                    break;
                }
            }
            if (there.isEmpty()) return garbageBehindTheLog(amount);
            return damage(there.get(amount % there.size()), amount);
        } catch (IOException e) {
            timeline.note("torn_file: " + e.getMessage());
            return false;
        }
    }

    private boolean damage(Path file, int amount) throws IOException {
        var name = scene.home().resolve("runs").relativize(file);
        harmed.add(name.getName(0).toString());
        long size = Files.size(file);
        long cut = size * (amount % 100) / 100;
        boolean garble = amount % 2 == 0 && size > 0;
        timeline.note("torn_file: %s, %s at %d of %d".formatted(name, garble ? "garbled" : "cut", cut, size));
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (garble) channel.write(java.nio.ByteBuffer.wrap(noise((int) Math.min(size - cut, 64), amount)), cut);
            else channel.truncate(cut);
        }
        return true;
    }

    private boolean garbageBehindTheLog(int amount) throws IOException {
        var log = scene.home().resolve("roost.db-wal");
        if (!Files.exists(log)) return false;
        timeline.note("torn_file: garbage behind " + log.getFileName());
        Files.write(log, noise(100 + amount * 8, amount), StandardOpenOption.APPEND);
        return true;
    }

    private static byte[] noise(int length, int seed) {
        var noise = new byte[length];
        new Random(seed).nextBytes(noise);
        return noise;
    }
}
