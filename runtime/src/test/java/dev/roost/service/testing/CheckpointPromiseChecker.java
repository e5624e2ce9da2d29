package dev.roost.service.testing;

import static dev.roost.testing.FileTrees.git;
import static dev.roost.testing.FileTrees.tryGit;
import static org.assertj.core.api.Assertions.assertThat;

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

/** Writes down what each checkpoint held, and asks for it in the end. */
public final class CheckpointPromiseChecker {

    private final Path repo;

    /** What each checkpoint held when it was made. */
    private final Map<RunId, Map<String, Set<String>>> held = new HashMap<>();

    public CheckpointPromiseChecker(Path repo) {
        this.repo = repo;
    }

    /** Every checkpoint that the ledger tells of is there, and what it holds is written down. */
    public void look(RunId run, List<TimelineEvent> events) {
        for (var event : events) {
            if (!event.kind().equals("checkpoint")) continue;
            var ref = event.text().substring(0, event.text().indexOf(' '));
            held.computeIfAbsent(run, _ -> new LinkedHashMap<>()).computeIfAbsent(ref, this::blobs);
        }
    }

    private Set<String> blobs(String ref) {
        var blobs = new HashSet<String>();
        git(repo, "ls-tree", "-r", "--format=%(objectname)", ref).lines().forEach(blobs::add);
        return blobs;
    }

    /** What is merged, or was never more than its base, needs no ref of ours; but it must be there. */
    public void forgotten(RunId run) {
        var last = held.getOrDefault(run, Map.of()).entrySet().stream()
                .reduce((_, second) -> second)
                .map(Map.Entry::getValue)
                .orElse(Set.of());
        held.put(run, Map.of("pruned", last));
    }

    public void nothingIsOrphaned(Path worktrees) throws IOException {
        var admins = repo.resolve(".git/worktrees");
        if (!Files.isDirectory(admins)) return;
        try (var all = Files.list(admins)) {
            for (var admin : all.toList()) {
                var place = Path.of(Files.readString(admin.resolve("gitdir")).strip());
                assertThat(place).as("what %s is for", admin).exists();
                try (var inside = Files.list(admin)) {
                    assertThat(inside)
                            .noneMatch(file -> file.getFileName().toString().startsWith("roost-index-"));
                }
            }
        }
        try (var all = Files.list(worktrees)) {
            assertThat(all).noneMatch(place -> place.getFileName().toString().startsWith("."));
        }
        assertThat(git(repo, "fsck", "--connectivity-only")).doesNotContain("missing");
    }

    public void allIsReadable() {
        var all = held.values().stream()
                .flatMap(refs -> refs.values().stream())
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        for (var blob : all)
            assertThat(tryGit(repo, "cat-file", "-e", blob).ok())
                    .as("%s, which %s", blob, where(blob))
                    .isTrue();
    }

    private String where(String blob) {
        var found = new ArrayList<String>();
        held.forEach((run, refs) -> refs.forEach((ref, blobs) -> {
            if (blobs.contains(blob)) found.add(run + " held in " + ref);
        }));
        return String.join(", ", found);
    }
}
