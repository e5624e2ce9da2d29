package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plays random sequences of the actions of agents and users. Every checkpoint stays readable, and a removed and
 * restored worktree has the same files. A failure names its seed: repeat it with -Droost.seed=N. The option
 * {@code -Droost.full=true} plays more sequences.
 */
class RandomWorktreeHistoryProcessTest {

    private static final int SEQUENCES =
            Integer.getInteger("roost.sequences", Boolean.getBoolean("roost.full") ? 50 : 10);
    private static final List<String> NAMES = List.of(
            "a.txt",
            "src/b.txt",
            "tool.sh",
            "new.txt",
            "deep/er/x",
            "deep/y",
            "sp ace",
            "-dash",
            "line\nbreak",
            "x.log",
            "big.bin",
            "crlf.dos",
            "ü");

    @TempDir
    Path room;

    private record CheckpointedState(Checkpoint checkpoint, Map<String, String> files, String commits) {}

    @Test
    void every_checkpoint_of_a_random_history_stays_readable() throws IOException {
        var only = Long.getLong("roost.seed");
        if (only != null) {
            play(only);
            return;
        }
        for (long seed = 1; seed <= SEQUENCES; seed++) play(seed);
    }

    private void play(long seed) throws IOException {
        var place = Files.createDirectory(room.resolve("seed-" + seed));
        var history = new History(SampleRepository.in(place), new Random(seed));
        try {
            history.play();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + String.join(", ", history.actions), e);
        }
        SafeMove.delete(place);
    }

    private static final class History {

        final List<String> actions = new ArrayList<>();
        private final SampleRepository sampleRepository;
        private final Random random;
        private final GitWorktrees worktrees;
        private final Worktree w;
        private final SampleRepository inside;
        private final List<CheckpointedState> checkpointed = new ArrayList<>();

        History(SampleRepository sampleRepository, Random random) {
            this.sampleRepository = sampleRepository;
            this.random = random;
            sampleRepository.write(".gitignore", "*.log\n").write(".gitattributes", "*.dos text eol=crlf\n");
            sampleRepository.write("crlf.dos", "dos\r\n").commit("second");
            this.worktrees = sampleRepository.worktrees(new CheckpointLimits(5_000, false));
            this.w = sampleRepository.make();
            this.inside = sampleRepository.at(w.path());
        }

        void play() throws IOException {
            int steps = 6 + random.nextInt(10);
            for (int i = 0; i < steps; i++) step();
            checkpoint();
            removeAndRestore();
            collectGarbage();
            checkpointed.forEach(this::verify);
        }

        private void step() throws IOException {
            switch (random.nextInt(19)) {
                case 0, 1, 2, 3 -> edit();
                case 4 -> delete();
                case 5 -> link();
                case 6 -> git("add", "-A");
                case 7, 8 -> commit();
                case 9 -> git("commit", "-q", "--amend", "--allow-empty", "-m", "amended " + random.nextInt(100));
                case 10 -> git("reset", "-q", "--hard", random.nextBoolean() ? "HEAD" : "HEAD~1");
                case 11 -> rebase();
                case 12 -> git("checkout", "-q", "-B", "side-" + random.nextInt(3));
                case 13 -> git("checkout", "-q", "--detach");
                case 14 -> stash();
                case 15, 16 -> checkpoint();
                case 17 -> removeAndRestore();
                default -> collectGarbage();
            }
        }

        private String name() {
            return NAMES.get(random.nextInt(NAMES.size()));
        }

        private void edit() {
            var name = name();
            actions.add("edit " + name);
            var file = w.path().resolve(name);
            if (Files.isSymbolicLink(file) || Files.isDirectory(file)) return;
            int size = name.equals("big.bin") ? 6_000 : random.nextInt(200);
            var bytes = new byte[size];
            random.nextBytes(bytes);
            if (name.endsWith(".dos") || random.nextBoolean())
                bytes = "line\nother\r\n".repeat(size / 12 + 1).getBytes(StandardCharsets.UTF_8);
            inside.write(name, bytes);
            if (random.nextInt(5) == 0) file.toFile().setExecutable(!Files.isExecutable(file), false);
        }

        private void delete() throws IOException {
            var name = name();
            actions.add("delete " + name);
            var file = w.path().resolve(name);
            if (!Files.isDirectory(file)) Files.deleteIfExists(file);
        }

        private void link() throws IOException {
            actions.add("link");
            var link = w.path().resolve("link");
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, Path.of(random.nextBoolean() ? "a.txt" : "no/where"));
        }

        private void commit() {
            git("add", "-A");
            git("commit", "-q", "--allow-empty", "-m", "commit " + random.nextInt(100));
        }

        private void rebase() {
            if (random.nextBoolean()) {
                actions.add("commit on main");
                sampleRepository
                        .write("a.txt", "main " + random.nextInt() + "\n")
                        .commit("commit on main");
            }
            git("rebase", "-q", "main");
            if (random.nextBoolean()) git("rebase", "--abort");
        }

        private void stash() {
            git("stash", "-q", "--include-untracked");
            git("stash", random.nextBoolean() ? "pop" : "drop", "-q");
        }

        private void collectGarbage() {
            actions.add("gc");
            sampleRepository.tryGit("worktree", "prune");
            sampleRepository.tryGit("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
            assertThat(sampleRepository.tryGit("gc", "-q", "--prune=now").exit())
                    .isZero();
        }

        /** Runs git as an agent does; a command that git refuses changes nothing. */
        private void git(String... words) {
            actions.add(String.join(" ", words));
            inside.tryGit(words);
        }

        private void checkpoint() {
            actions.add("checkpoint");
            var files = inside.files();
            var c = worktrees.checkpoint(w, "step", SampleRepository.NOW);
            checkpointed.add(new CheckpointedState(c, files, inside.git("rev-list", "HEAD")));
        }

        private void removeAndRestore() {
            actions.add("remove and restore");
            var files = inside.files();
            var status = inside.status();
            var head = inside.git("rev-parse", "HEAD");
            var commits = inside.git("rev-list", "HEAD");
            var kept = new TreeMap<>(files);
            var removeResult = worktrees.remove(w, sampleRepository.kept, SampleRepository.NOW);
            removeResult.moved().forEach(out -> kept.remove(out.path().text()));
            assertThat(w.path()).doesNotExist();
            checkpointed.add(new CheckpointedState(removeResult.checkpoint().orElseThrow(), kept, commits));
            if (random.nextBoolean()) collectGarbage();
            if (random.nextBoolean()) worktrees.ensure(w, sampleRepository.kept);
            else worktrees.restore(w, w.path(), sampleRepository.kept, SampleRepository.newest());
            assertThat(inside.files()).isEqualTo(files);
            assertThat(inside.status()).isEqualTo(status);
            assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(head);
        }

        private void verify(CheckpointedState state) {
            var copy = sampleRepository.room.resolve("copy-" + checkpointed.indexOf(state));
            var c = state.checkpoint();
            worktrees.restore(w, copy, sampleRepository.room.resolve("nothing-kept"), java.util.Optional.of(c.n()));
            var expected = new TreeMap<>(state.files());
            c.omitted().forEach(out -> expected.remove(out.path().raw()));
            var found = new TreeMap<>(sampleRepository.at(copy).files());
            c.omitted().forEach(out -> found.remove(out.path().raw()));
            assertThat(found).as("checkpoint %d", c.n()).isEqualTo(expected);
            for (var commit : state.commits().lines().toList())
                assertThat(sampleRepository.tryGit("cat-file", "-e", commit).ok())
                        .isTrue();
            var head = state.commits().lines().findFirst().orElseThrow();
            assertThat(sampleRepository
                            .tryGit("merge-base", "--is-ancestor", head, c.ref())
                            .ok())
                    .isTrue();
            sampleRepository.git("worktree", "remove", "--force", "--force", copy.toString());
        }
    }
}
