package dev.roost.bench;

import dev.roost.git.RepositoryOrigin;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The cost of a checkpoint in a large worktree, compared with git status and git stash. */
final class CheckpointBenchmark {

    private static final int FILES = 50_000;
    private static final int CHANGES = 10;
    private static final int ROUNDS = 9;

    private final Path room;
    private final GitWorktrees worktrees = new GitWorktrees(CheckpointLimits.DEFAULT);
    private int edits;

    private CheckpointBenchmark(Path room) {
        this.room = room;
    }

    static Map<String, String> measure(Path room) throws Exception {
        return new CheckpointBenchmark(Files.createDirectories(room)).figures();
    }

    private Map<String, String> figures() throws Exception {
        var repo = repository();
        var origin = RepositoryOrigin.of(repo);
        var run = RunId.create(Instant.now());
        var w = new Worktree(run, room.resolve("worktrees/" + run), origin.common(), origin.base(), origin.branch());
        var figures = new LinkedHashMap<String, String>();
        long before = System.nanoTime();
        worktrees.ensure(w, room.resolve("kept"));
        figures.put("worktree of %,d files made".formatted(FILES), ms(since(before)));
        edit(w.path());
        before = System.nanoTime();
        worktrees.checkpoint(w, "bench", Instant.now());
        double first = since(before);
        var changed = new double[ROUNDS];
        var same = new double[ROUNDS];
        var status = new double[ROUNDS];
        var stash = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            // interleaved, so that all are measured under the same load
            edit(w.path());
            status[i] = git(w.path(), "--no-optional-locks", "status", "--porcelain", "-uall");
            stash[i] = git(w.path(), "stash", "create");
            before = System.nanoTime();
            if (!worktrees.checkpoint(w, "bench", Instant.now()).isNew())
                throw new IOException("no checkpoint was written");
            changed[i] = since(before);
            before = System.nanoTime();
            if (worktrees.checkpoint(w, "bench", Instant.now()).isNew()) throw new IOException("something changed");
            same[i] = since(before);
        }
        double plain = median(status);
        double stashed = median(stash);
        figures.put("git status", ms(plain));
        figures.put("git stash create (no untracked files)", ms(stashed));
        figures.put("first checkpoint, %d changes".formatted(CHANGES), beside(first, plain, stashed));
        figures.put("checkpoint, %d more changes".formatted(CHANGES), beside(median(changed), plain, stashed));
        figures.put("checkpoint, nothing changed", beside(median(same), plain, stashed));
        return figures;
    }

    private Path repository() throws Exception {
        var repo = Files.createDirectories(room.resolve("repo"));
        for (int i = 0; i < FILES; i++) {
            var file = file(repo, i);
            if (i % 100 == 0) Files.createDirectories(file.getParent());
            Files.writeString(file, "file %d\n".formatted(i).repeat(20));
        }
        git(repo, "init", "-q");
        git(repo, "add", "-A");
        git(repo, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "first");
        return repo;
    }

    private static Path file(Path root, int i) {
        return root.resolve("d%02d/e%02d/f%d.txt".formatted(i / 5_000, i / 100 % 50, i));
    }

    /** Half of the edits create files, half change files. */
    private void edit(Path root) throws IOException {
        for (int i = 0; i < CHANGES; i++, edits++) {
            var file = i % 2 == 0 ? file(root, edits * 997 % FILES) : root.resolve("d00/new-" + edits + ".txt");
            Files.writeString(file, "edit %d\n".formatted(edits));
        }
    }

    private static double git(Path dir, String... words) throws Exception {
        var command = new ArrayList<>(List.of("git", "-C", dir.toString()));
        command.addAll(List.of(words));
        long before = System.nanoTime();
        var builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        for (var role : new String[] {"AUTHOR", "COMMITTER"}) {
            builder.environment().put("GIT_" + role + "_NAME", "bench");
            builder.environment().put("GIT_" + role + "_EMAIL", "bench@localhost");
        }
        if (builder.start().waitFor() != 0) throw new IOException(String.join(" ", command) + " failed");
        return since(before);
    }

    private static double since(long before) {
        return (System.nanoTime() - before) / 1e6;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static String ms(double value) {
        return String.format(Locale.ROOT, "%.0f ms", value);
    }

    private static String beside(double value, double status, double stash) {
        return String.format(
                Locale.ROOT,
                "%.0f ms, %.1f × git status, %.1f × git stash create",
                value,
                value / status,
                value / stash);
    }
}
