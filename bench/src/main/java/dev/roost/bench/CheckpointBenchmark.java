package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.BareProgram;
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
import java.util.List;
import java.util.Locale;

/** The cost of a checkpoint in a large worktree, compared with git status and git stash. */
final class CheckpointBenchmark implements Benchmark {

    private static final int FILES = 50_000;
    private static final int CHANGES = 10;
    private static final int ROUNDS = 9;

    private final GitWorktrees worktrees = new GitWorktrees(CheckpointLimits.DEFAULT);
    private int edits;

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        var room = Files.createDirectories(setting.scratch().resolve("checkpoint"));
        var repo = repository(room);
        var origin = RepositoryOrigin.of(repo);
        var run = RunId.create(Instant.now());
        var w = new Worktree(run, room.resolve("worktrees/" + run), origin.common(), origin.base(), origin.branch());
        report.text(
                "worktree of %,d files made".formatted(FILES),
                ms(Benchmark.millis(() -> worktrees.ensure(w, room.resolve("kept")))));
        edit(w.path());
        double first = Benchmark.millis(() -> checkpoint(w, true));
        var changed = new double[ROUNDS];
        var same = new double[ROUNDS];
        var status = new double[ROUNDS];
        var stash = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            // interleaved, so that all are measured under the same load
            edit(w.path());
            status[i] = git(w.path(), "--no-optional-locks", "status", "--porcelain", "-uall");
            stash[i] = git(w.path(), "stash", "create");
            changed[i] = Benchmark.millis(() -> checkpoint(w, true));
            same[i] = Benchmark.millis(() -> checkpoint(w, false));
        }
        double plain = BenchmarkReport.median(status);
        double stashed = BenchmarkReport.median(stash);
        report.text("git status", ms(plain));
        report.text("git stash create (no untracked files)", ms(stashed));
        report.text("first checkpoint, %d changes".formatted(CHANGES), beside(first, plain, stashed));
        report.text(
                "checkpoint, %d more changes".formatted(CHANGES),
                beside(BenchmarkReport.median(changed), plain, stashed));
        report.text("checkpoint, nothing changed", beside(BenchmarkReport.median(same), plain, stashed));
    }

    private void checkpoint(Worktree w, boolean isNew) throws Exception {
        if (worktrees.checkpoint(w, "bench", Instant.now()).isNew() != isNew)
            throw new IOException(isNew ? "no checkpoint was written" : "something changed");
    }

    private static Path repository(Path room) throws Exception {
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
        var builder = new ProcessBuilder(command);
        for (var role : new String[] {"AUTHOR", "COMMITTER"}) {
            builder.environment().put("GIT_" + role + "_NAME", "bench");
            builder.environment().put("GIT_" + role + "_EMAIL", "bench@localhost");
        }
        return Benchmark.millis(() -> BareProgram.run(builder));
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
