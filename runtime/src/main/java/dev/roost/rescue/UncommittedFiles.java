package dev.roost.rescue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The uncommitted files of a checkout. */
record UncommittedFiles(List<String> changed, List<String> untracked, Optional<String> halfway) {

    private static final Map<String, String> MARKS = new TreeMap<>(Map.of(
            "rebase-merge", "rebase",
            "rebase-apply", "rebase",
            "MERGE_HEAD", "merge",
            "CHERRY_PICK_HEAD", "cherry-pick",
            "REVERT_HEAD", "revert",
            "BISECT_LOG", "bisect"));

    /** Empty if the directory is not in a checkout. */
    static Optional<UncommittedFiles> at(Path directory) {
        if (!Files.isDirectory(directory)) return Optional.empty();
        var git = new ReadOnlyGit(directory);
        return git.ask("status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty")
                .map(status -> of(status, halfway(directory, git)));
    }

    private static UncommittedFiles of(String status, Optional<String> halfway) {
        var changed = new ArrayList<String>();
        var untracked = new ArrayList<String>();
        var entries = status.split("\0", -1);
        for (int i = 0; i < entries.length; i++) {
            var entry = entries[i];
            if (entry.length() < 4) continue;
            if (entry.startsWith("??")) untracked.add(entry.substring(3));
            else changed.add(entry.substring(3));
            if (entry.charAt(0) == 'R' || entry.charAt(0) == 'C') i++; // the next entry is the old name
        }
        return new UncommittedFiles(changed, untracked, halfway);
    }

    private static Optional<String> halfway(Path directory, ReadOnlyGit git) {
        return git.ask("rev-parse", "--git-dir")
                .map(text -> directory.resolve(text.strip()))
                .flatMap(folder -> MARKS.entrySet().stream()
                        .filter(mark -> Files.exists(folder.resolve(mark.getKey())))
                        .map(Map.Entry::getValue)
                        .findFirst());
    }

    int dirty() {
        return changed.size() + untracked.size();
    }
}
