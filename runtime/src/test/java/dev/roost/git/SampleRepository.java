package dev.roost.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.model.RunId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A real repository in a temporary directory. */
public final class SampleRepository {

    public static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    public final Path room;
    public final Path top;
    public final Path kept;
    private final Map<String, String> environment;

    private SampleRepository(Path room, Path top) {
        this.room = room;
        this.top = top;
        this.kept = room.resolve("kept");
        this.environment = environment(room);
    }

    /** An environment without the git configuration of the user who runs the test. */
    public static Map<String, String> environment(Path room) {
        var all = new HashMap<>(System.getenv());
        all.keySet().removeIf(name -> name.startsWith("GIT_"));
        all.put("HOME", room.toString());
        all.put("XDG_CONFIG_HOME", room.resolve("xdg").toString());
        return all;
    }

    /** Creates a repository with one commit: a.txt, src/b.txt and an executable. */
    public static SampleRepository in(Path room) {
        try {
            var real = room.toRealPath();
            var sampleRepository = new SampleRepository(real, Files.createDirectories(real.resolve("repo")));
            Files.writeString(real.resolve(".gitconfig"), """
                    [user]
                        name = Ada
                        email = ada@example.org
                    [init]
                        defaultBranch = main
                    [protocol "file"]
                        allow = always
                    [core]
                        editor = true
                    """);
            sampleRepository.git("init", "-q");
            sampleRepository.write("a.txt", "one\n").write("src/b.txt", "two\n").write("tool.sh", "#!/bin/sh\n");
            sampleRepository.top.resolve("tool.sh").toFile().setExecutable(true);
            sampleRepository.commit("first");
            return sampleRepository;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same fixture with another directory as its top. */
    public SampleRepository at(Path directory) {
        return new SampleRepository(room, directory);
    }

    public GitWorktrees worktrees() {
        return worktrees(CheckpointLimits.DEFAULT);
    }

    public GitWorktrees worktrees(CheckpointLimits limits) {
        return new GitWorktrees(limits, environment);
    }

    public RepositoryOrigin origin() {
        return RepositoryOrigin.of(top, environment);
    }

    public Worktree plan() {
        var origin = origin();
        var run = RunId.create(NOW);
        return new Worktree(
                run, room.resolve("worktrees").resolve(run.text()), origin.common(), origin.base(), origin.branch());
    }

    /** Creates a worktree. */
    public Worktree make() {
        var w = plan();
        worktrees().ensure(w, kept);
        return w;
    }

    public SampleRepository write(String name, String text) {
        return write(name, text.getBytes(StandardCharsets.UTF_8));
    }

    public SampleRepository write(String name, byte[] bytes) {
        try {
            var file = top.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, bytes);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String read(String name) {
        try {
            return Files.readString(top.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String commit(String message) {
        git("add", "-A");
        git("commit", "-q", "--allow-empty", "-m", message);
        return git("rev-parse", "HEAD");
    }

    /** Runs git and returns its output; a failure fails the test. */
    public String git(String... words) {
        var reply = tryGit(words);
        assertThat(reply.exit())
                .as("git %s: %s", String.join(" ", words), reply.err())
                .isZero();
        return reply.line();
    }

    /** Runs git as a user or agent does, with hooks and locks. */
    public GitReply tryGit(String... words) {
        try {
            var command = new ArrayList<>(List.of("git"));
            command.addAll(List.of(words));
            var err = Files.createTempFile(room, "err", "");
            var builder = new ProcessBuilder(command).directory(top.toFile()).redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            builder.environment().put("LC_ALL", "C");
            var process = builder.start();
            process.getOutputStream().close();
            var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            int exit = process.waitFor();
            var errorOutput = Files.readString(err);
            Files.delete(err);
            return new GitReply(exit, out, errorOutput);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public String status() {
        return git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames");
    }

    /** Every file under the top with its bytes, its executable bit and its link, by exact name. */
    public Map<String, String> files() {
        var all = new TreeMap<String, String>();
        try {
            Files.walkFileTree(top, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes facts) {
                    return dir.equals(top.resolve(".git")) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                    if (file.equals(top.resolve(".git"))) return FileVisitResult.CONTINUE;
                    all.put(GitPath.of(top, file).raw(), describe(file, facts));
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static String describe(Path file, BasicFileAttributes facts) throws IOException {
        if (facts.isSymbolicLink()) return "-> " + Files.readSymbolicLink(file);
        if (facts.isOther()) return "special";
        var bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        return (SafeMove.isProgram(file) ? "x " : "- ") + bytes;
    }

    static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    public static Optional<Integer> newest() {
        return Optional.empty();
    }
}
