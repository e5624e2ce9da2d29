package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.checkpoint.SpecialFile.SpecialReason;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files that git would store with other bytes than on disk, because of the repository's attributes and settings. Reads
 * these settings and never applies them.
 *
 * @param refusesLineEnds whether git refuses to add a file whose line ends a checkout would change
 * @param hasLinks whether git creates symbolic links
 */
record FileConversions(Map<GitPath, SpecialReason> reasons, boolean refusesLineEnds, boolean hasLinks) {

    private static final Set<String> NOTHING = Set.of("unspecified", "unset");
    private static final Set<String> YES = Set.of("", "true", "yes", "on", "1");

    static FileConversions of(Git git, Set<GitPath> paths) {
        if (paths.isEmpty()) return new FileConversions(Map.of(), false, true);
        var settings = settings(git);
        var crlf = settings.getOrDefault("core.autocrlf", "false");
        boolean converts = YES.contains(crlf) || crlf.equals("input");
        var reply = git.given(paths)
                .ask("check-attr", "-z", "--stdin", "text", "crlf", "eol", "ident", "filter", "working-tree-encoding");
        if (reply.exit() == GitReply.LATE) throw Git.failed(reply, "check-attr"); // the next round asks again
        var fields = reply.fields();
        var reasons = new HashMap<GitPath, SpecialReason>();
        for (int i = 0; i + 2 < fields.size(); i += 3) {
            var value = fields.get(i + 2);
            boolean text = converts && fields.get(i + 1).equals("text") && !value.equals("unset");
            if (text || !NOTHING.contains(value))
                reasons.merge(
                        new GitPath(fields.get(i)),
                        reason(fields.get(i + 1)),
                        (one, other) -> one.compareTo(other) < 0 ? one : other);
        }
        return new FileConversions(
                reasons,
                YES.contains(settings.getOrDefault("core.safecrlf", "false")),
                YES.contains(settings.getOrDefault("core.symlinks", "true")));
    }

    private static SpecialReason reason(String attribute) {
        return switch (attribute) {
            case "filter" -> SpecialReason.FILTER;
            case "working-tree-encoding" -> SpecialReason.ENCODING;
            default -> SpecialReason.LINE_ENDS;
        };
    }

    private static Map<String, String> settings(Git git) {
        var settings = new HashMap<String, String>();
        for (var field : git.ask("config", "-z", "--get-regexp", "^core\\.(autocrlf|safecrlf|symlinks)$")
                .fields()) {
            var parts = GitReply.pieces(field, '\n');
            settings.put(parts.getFirst(), parts.size() > 1 ? parts.get(1) : "");
        }
        return settings;
    }

    boolean appliesTo(GitPath path) {
        return reasons.containsKey(path);
    }

    /** The reason why git itself would refuse the file, or run a program for it. */
    Optional<SpecialReason> special(GitPath path, boolean link) {
        if (link) return hasLinks ? Optional.empty() : Optional.of(SpecialReason.LINK);
        return Optional.ofNullable(reasons.get(path))
                .filter(reason -> refusesLineEnds || reason != SpecialReason.LINE_ENDS);
    }
}
