package dev.roost.service.testing;

import static dev.roost.testing.FileTrees.git;
import static dev.roost.testing.FileTrees.tryGit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Records the content of each checkpoint, and shows the checker at the end what of it is still readable. */
public final class CheckpointInspector {

    private final PromiseChecker checker = new PromiseChecker();
    private final Path repo;

    /** The blobs of each checkpoint when it was made. */
    private final Map<RunId, Map<String, Set<String>>> blobsByRef = new HashMap<>();

    public CheckpointInspector(Path repo) {
        this.repo = repo;
    }

    /** Checks that every checkpoint in the timeline exists, and records its content. */
    public void recordCheckpoints(RunId run, List<TimelineEvent> events) {
        for (var event : events) {
            if (!event.kind().equals("checkpoint")) continue;
            var ref = event.text().substring(0, event.text().indexOf(' '));
            blobsByRef.computeIfAbsent(run, _ -> new LinkedHashMap<>()).computeIfAbsent(ref, this::blobs);
        }
    }

    private Set<String> blobs(String ref) {
        var blobs = new HashSet<String>();
        git(repo, "ls-tree", "-r", "--format=%(objectname)", ref).lines().forEach(blobs::add);
        return blobs;
    }

    /** A pruned run's code is merged or equal to its base, so it needs no ref; its last content must still exist. */
    public void runPruned(RunId run) {
        var last = blobsByRef.getOrDefault(run, Map.of()).entrySet().stream()
                .reduce((_, second) -> second)
                .map(Map.Entry::getValue)
                .orElse(Set.of());
        blobsByRef.put(run, Map.of("pruned", last));
    }

    public void nothingIsOrphaned(Path worktrees) throws IOException {
        var gitDirs = repo.resolve(".git/worktrees");
        if (!Files.isDirectory(gitDirs)) return;
        try (var all = Files.list(gitDirs)) {
            for (var gitDir : all.toList()) {
                var place = Path.of(Files.readString(gitDir.resolve("gitdir")).strip());
                see("the worktree of " + gitDir, Files.exists(place) ? "there" : "missing", "there");
                see("files left in " + gitDir, names(gitDir, "roost-index-"), List.of());
            }
        }
        see("files left in " + worktrees, names(worktrees, "."), List.of());
        boolean missing = git(repo, "fsck", "--connectivity-only").contains("missing");
        see("objects that git misses", missing, false);
    }

    private static List<String> names(Path directory, String prefix) throws IOException {
        try (var all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .toList();
        }
    }

    private void see(String question, Object answer, Object right) {
        checker.see(
                0, new RunFact.Answer(Promise.NO_WORK_THROWN_AWAY, "", question, answer.toString(), right.toString()));
        assertThat(checker.violations()).isEmpty();
    }

    public void allIsReadable() {
        var all = blobsByRef.values().stream()
                .flatMap(refs -> refs.values().stream())
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        for (var blob : all)
            see(
                    blob + ", which " + where(blob),
                    tryGit(repo, "cat-file", "-e", blob).ok() ? "there" : "gone",
                    "there");
    }

    private String where(String blob) {
        var found = new ArrayList<String>();
        blobsByRef.forEach((run, refs) -> refs.forEach((ref, blobs) -> {
            if (blobs.contains(blob)) found.add(run + " held in " + ref);
        }));
        return String.join(", ", found);
    }
}
