package dev.roost.git;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of {@code git status}.
 *
 * @param kind {@code 1} changed, {@code 2} renamed or copied, {@code u} unmerged, {@code ?} untracked, {@code !} ignored
 * @param staged how the index differs from HEAD, or a dot
 * @param changed how the file differs from the index, or a dot
 * @param mode the mode of the file that git would record
 */
public record StatusEntry(char kind, char staged, char changed, String mode, GitPath path) {

    public static final String GITLINK = "160000";
    public static final String GONE = "000000";

    public static List<StatusEntry> of(GitReply status) {
        var entries = new ArrayList<StatusEntry>();
        for (var fields = status.fields().iterator(); fields.hasNext(); ) {
            var line = fields.next();
            char kind = line.charAt(0);
            switch (kind) {
                case '1' -> entries.add(tracked(line, 8, 5));
                case '2' -> {
                    entries.add(tracked(line, 9, 5));
                    fields.next(); // the old name
                }
                case 'u' -> entries.add(tracked(line, 10, 6));
                case '?', '!' -> entries.add(new StatusEntry(kind, '.', kind, "", new GitPath(line.substring(2))));
                default -> {} // headers
            }
        }
        return entries;
    }

    /** Parses a line: the path follows {@code words} words, of which one is the mode of the file in the worktree. */
    private static StatusEntry tracked(String line, int words, int modeAt) {
        int from = 0;
        var mode = "";
        for (int i = 0; i < words; i++) {
            int to = line.indexOf(' ', from);
            if (i == modeAt) mode = line.substring(from, to);
            from = to + 1;
        }
        return new StatusEntry(line.charAt(0), line.charAt(2), line.charAt(3), mode, new GitPath(line.substring(from)));
    }

    public boolean isUnmerged() {
        return kind == 'u';
    }

    public boolean isTracked() {
        return kind == '1' || kind == '2' || kind == 'u';
    }
}
