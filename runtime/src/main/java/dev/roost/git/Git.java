package dev.roost.git;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs git in one directory, without prompts, hooks and inherited settings, and with a timeout. */
public final class Git {

    private static final Duration LONG = Duration.ofMinutes(15);
    private static final Duration GC_PATIENCE = Duration.ofMinutes(1);
    private static final Duration GC_POLL = Duration.ofMillis(20);
    private static final int MOST_BYTES = 256 << 20;
    private static final int MOST_TRIES = 40;
    private static final List<String> QUIET = List.of(
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.quotePath=false",
            "commit.gpgSign=false",
            "gc.auto=0",
            "maintenance.auto=false",
            "i18n.commitEncoding=UTF-8",
            "submodule.recurse=false",
            "advice.detachedHead=false");

    private final Path dir;
    private final Map<String, String> inherited;
    private final Map<String, String> extra;
    private final Duration deadline;
    private final byte[] input;

    public Git(Path dir, Map<String, String> inherited) {
        this(dir, inherited, Map.of(), LONG, new byte[0]);
    }

    private Git(Path dir, Map<String, String> inherited, Map<String, String> extra, Duration deadline, byte[] input) {
        this.dir = dir;
        this.inherited = inherited;
        this.extra = extra;
        this.deadline = deadline;
        this.input = input;
    }

    public Git at(Path other) {
        return new Git(other, inherited, extra, deadline, input);
    }

    public Git with(String name, String value) {
        var more = new HashMap<>(extra);
        more.put(name, value);
        return new Git(dir, inherited, Map.copyOf(more), deadline, input);
    }

    public Git withIndex(Path index) {
        return with("GIT_INDEX_FILE", index.toString());
    }

    public Git within(Duration limit) {
        return new Git(dir, inherited, extra, limit, input);
    }

    public Git given(byte[] bytes) {
        return new Git(dir, inherited, extra, deadline, bytes);
    }

    /** Passes NUL-terminated paths to git on standard input. */
    public Git given(Iterable<GitPath> paths) {
        var text = new StringBuilder();
        for (var path : paths) text.append(path.raw()).append('\0');
        return given(text.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Runs git and returns its reply; throws if git fails. */
    public GitReply run(String... words) {
        var reply = ask(words);
        if (reply.ok()) return reply;
        throw Files.isDirectory(dir) ? failed(reply, words) : repositoryGone(dir);
    }

    public static RoostError repositoryGone(Path dir) {
        return ErrorCode.REPOSITORY_GONE.error("%s is not there any more.".formatted(dir));
    }

    /** The commit that a revision names, if there is one. */
    public Optional<String> commit(String revision) {
        return ask("rev-parse", "--verify", "--quiet", revision + "^{commit}").answer();
    }

    /** Whether the repository has the commit. */
    public boolean has(String commit) {
        return ask("cat-file", "-e", commit + "^{commit}").ok();
    }

    public boolean isAncestor(String commit, String of) {
        return ask("merge-base", "--is-ancestor", commit, of).ok();
    }

    /** Creates a ref; throws if it exists. */
    public void makeRef(String ref, String commit) {
        run("update-ref", ref, commit, "0".repeat(commit.length()));
    }

    /** Creates a ref; fails if it exists. */
    public GitReply createRef(String ref, String commit) {
        return ask("update-ref", ref, commit, "0".repeat(commit.length()));
    }

    public String line(String... words) {
        return run(words).line();
    }

    public static RoostError failed(GitReply reply, String... words) {
        if (reply.exit() == GitReply.LATE)
            return ErrorCode.GIT_LATE.error("git %s failed: %s".formatted(words[0], reply.err()));
        return ErrorCode.GIT_FAILED.error("git %s failed: %s".formatted(words[0], reply.errorText()));
    }

    /** Runs git and returns its reply, also of a failure. Retries while another process holds a lock file. */
    public GitReply ask(String... words) {
        for (int attempt = 1; ; attempt++) {
            var reply = once(words);
            if (attempt == MOST_TRIES || !reply.isLockedOut()) return reply;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.min(400, 10L * attempt)));
        }
    }

    private GitReply once(String... words) {
        var git = find("git")
                .orElseThrow(() -> ErrorCode.NO_GIT.error("A worktree needs git, and no git program was found."));
        var command = new ArrayList<>(List.of(git, "-C", dir.toString()));
        for (var setting : QUIET) {
            command.add("-c");
            command.add(setting);
        }
        command.addAll(List.of(words));
        return program(command);
    }

    /** Finds a program on the PATH of the environment. */
    public Optional<String> find(String name) {
        for (var place : GitReply.pieces(inherited.getOrDefault("PATH", ""), ':')) {
            if (!place.startsWith("/")) continue;
            var file = Path.of(place).resolve(name);
            if (Files.isRegularFile(file) && Files.isExecutable(file)) return Optional.of(file.toString());
        }
        return Optional.empty();
    }

    /** Runs any program with the same environment and timeout. */
    public GitReply program(List<String> command) {
        var builder = new ProcessBuilder(command).directory(dir.toFile());
        builder.environment().clear();
        inherited.forEach((name, value) -> {
            if (!name.startsWith("GIT_")) builder.environment().put(name, value);
        });
        builder.environment()
                .putAll(Map.of(
                        "LC_ALL",
                        "C",
                        "GIT_TERMINAL_PROMPT",
                        "0",
                        "GIT_OPTIONAL_LOCKS",
                        "0",
                        "GIT_ASKPASS",
                        "",
                        "SSH_ASKPASS",
                        ""));
        builder.environment().putAll(extra);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            return new GitReply(GitReply.NOT_FOUND, "", String.valueOf(e.getMessage()));
        }
        return listen(process);
    }

    private GitReply listen(Process process) {
        var late = new boolean[1];
        var outputs = new String[] {"", ""};
        var threads = List.of(
                Thread.ofPlatform().daemon().start(() -> feed(process)),
                Thread.ofPlatform().daemon().start(() -> outputs[1] = read(process, process.getErrorStream(), 1 << 20)),
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> outputs[0] = read(process, process.getInputStream(), MOST_BYTES)));
        try {
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                late[0] = true;
                end(process);
            }
            for (var thread : threads) {
                // a leftover child process may hold the pipes open after git has exited
                if (!thread.join(Duration.ofSeconds(5))) end(process);
            }
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            return new GitReply(GitReply.LATE, "", "interrupted");
        }
        if (late[0]) return new GitReply(GitReply.LATE, "", "no answer within %d ms".formatted(deadline.toMillis()));
        return new GitReply(process.exitValue(), outputs[0], outputs[1]);
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void feed(Process process) {
        try (var in = process.getOutputStream()) {
            in.write(input);
        } catch (IOException e) {
            // git exited before it read all input; its exit code has the reason
        }
    }

    private static String read(Process process, InputStream from, int most) {
        var bytes = new ByteArrayOutputStream();
        var chunk = new byte[1 << 16];
        try (from) {
            for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                bytes.write(chunk, 0, n);
                if (bytes.size() > most) {
                    end(process);
                    break;
                }
            }
        } catch (IOException e) {
            // git was killed at its deadline; the output read so far is not used
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /**
     * Waits until no {@code git gc} runs in this repository, or until a timeout: it may have listed the objects in use before a
     * new ref existed.
     */
    public static void awaitGc(Path common) {
        long until = System.nanoTime() + GC_PATIENCE.toNanos();
        while (isGcAtWork(common)
                && System.nanoTime() < until
                && !Thread.currentThread().isInterrupted()) LockSupport.parkNanos(GC_POLL.toNanos());
    }

    /** Reads {@code gc.pid}. A killed {@code git gc} leaves the file behind, so the process must exist. */
    private static boolean isGcAtWork(Path common) {
        try {
            var words = Files.readString(common.resolve("gc.pid")).strip().split(" ", 2);
            return ProcessHandle.of(Long.parseLong(words[0])).isPresent();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }
}
