package dev.roost.luggage;

import dev.roost.worktrees.CheckpointLimits;
import dev.roost.worktrees.Worktrees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A machine of its own: a user's home, a directory to work in, and Roost's scratch. */
final class Machine {

    final Path home;
    final Path cwd;
    final Path scratch;
    final Luggages luggages;
    final Worktrees worktrees;

    Machine(Path root, String cwd) throws IOException {
        home = Files.createDirectories(root.resolve("user")).toRealPath();
        this.cwd = Files.createDirectories(home.resolve(cwd)).toRealPath();
        scratch = root.resolve("scratch");
        worktrees =
                new Worktrees(CheckpointLimits.DEFAULT, Map.of("HOME", home.toString(), "PATH", System.getenv("PATH")));
        luggages = new Luggages(worktrees, scratch, Limits.DEFAULT);
    }

    Seat seat() {
        return new Seat(List.of(), Map.of("HOME", home.toString(), "PATH", System.getenv("PATH")), cwd);
    }

    Path write(String name, String text) {
        try {
            var file = home.resolve(name);
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String read(String name) throws IOException {
        return Files.readString(home.resolve(name));
    }

    /** Everything under the home, with its text. */
    Map<String, String> files() throws IOException {
        var all = new TreeMap<String, String>();
        try (var files = Files.walk(home)) {
            for (var file : files.filter(Files::isRegularFile).toList())
                all.put(home.relativize(file).toString(), Files.readString(file));
        }
        return all;
    }

    /** Whether packing and unpacking left anything in the scratch. */
    boolean isTidy() throws IOException {
        if (!Files.exists(scratch)) return true;
        try (var files = Files.list(scratch)) {
            return files.findAny().isEmpty();
        }
    }

    byte[] pack(String driver, String session) throws IOException {
        var traveller = new Traveller(
                LuggageTest.RUN, 1, driver, seat(), Optional.of(session), Optional.empty(), Optional.empty());
        try (var luggage = luggages.pack(traveller)) {
            return bytes(luggage);
        }
    }

    Optional<String> unpack(byte[] bytes) {
        try (var luggage = luggages.read(new ByteArrayInputStream(bytes))) {
            return luggages.unpackConversation(luggage, seat());
        }
    }

    static byte[] bytes(Luggage luggage) throws IOException {
        var bytes = new ByteArrayOutputStream();
        luggage.write(bytes);
        return bytes.toByteArray();
    }
}
