package dev.roost.transfer.testing;

import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.transfer.AgentLocation;
import dev.roost.transfer.BundleLimits;
import dev.roost.transfer.BundlePacker;
import dev.roost.transfer.BundleSource;
import dev.roost.transfer.TransferBundle;
import dev.roost.transfer.TransferBundleProcessTest;
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

/** A simulated machine: a user's home, a working directory, and Roost's scratch directory. */
public final class TransferMachine {

    public final Path home;
    public final Path cwd;
    public final Path scratch;
    public final BundlePacker packer;
    public final GitWorktrees worktrees;

    public TransferMachine(Path root, String cwd) throws IOException {
        home = Files.createDirectories(root.resolve("user")).toRealPath();
        this.cwd = Files.createDirectories(home.resolve(cwd)).toRealPath();
        scratch = root.resolve("scratch");
        worktrees = new GitWorktrees(
                CheckpointLimits.DEFAULT, Map.of("HOME", home.toString(), "PATH", System.getenv("PATH")));
        packer = new BundlePacker(worktrees, scratch, BundleLimits.DEFAULT);
    }

    public AgentLocation location() {
        return new AgentLocation(List.of(), Map.of("HOME", home.toString(), "PATH", System.getenv("PATH")), cwd);
    }

    public Path write(String name, String text) {
        try {
            var file = home.resolve(name);
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String read(String name) throws IOException {
        return Files.readString(home.resolve(name));
    }

    /** All files below the home, with their text. */
    public Map<String, String> files() throws IOException {
        var all = new TreeMap<String, String>();
        try (var files = Files.walk(home)) {
            for (var file : files.filter(Files::isRegularFile).toList())
                all.put(home.relativize(file).toString(), Files.readString(file));
        }
        return all;
    }

    /** Whether packing and unpacking left no file in the scratch directory. */
    public boolean isTidy() throws IOException {
        if (!Files.exists(scratch)) return true;
        try (var files = Files.list(scratch)) {
            return files.findAny().isEmpty();
        }
    }

    public byte[] pack(String driver, String session) throws IOException {
        var source = new BundleSource(
                TransferBundleProcessTest.RUN,
                1,
                driver,
                location(),
                Optional.of(session),
                Optional.empty(),
                Optional.empty());
        try (var bundle = packer.pack(source)) {
            return bytes(bundle);
        }
    }

    public Optional<String> unpack(byte[] bytes) {
        try (var bundle = packer.read(new ByteArrayInputStream(bytes))) {
            return packer.unpackConversation(bundle, location());
        }
    }

    public static byte[] bytes(TransferBundle bundle) throws IOException {
        var bytes = new ByteArrayOutputStream();
        bundle.write(bytes);
        return bytes.toByteArray();
    }
}
