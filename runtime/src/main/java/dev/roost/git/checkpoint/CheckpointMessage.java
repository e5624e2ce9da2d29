package dev.roost.git.checkpoint;

import dev.roost.git.GitOperation;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.checkpoint.CheckpointRefs.CheckpointRef;
import dev.roost.model.RunId;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The commit message of a checkpoint. It has all that is needed to restore the checkpoint without a ledger.
 *
 * @param head the commit of HEAD; empty on a branch without commits
 * @param index the tree of the index; empty while paths are unmerged
 * @param state the tree of git's files of an unfinished rebase or merge
 * @param raw the tree of files whose bytes differ from those in the commit's own tree
 */
public record CheckpointMessage(
        RunId run,
        int n,
        String why,
        Optional<String> head,
        Optional<String> branch,
        Optional<String> index,
        Optional<GitOperation> operation,
        Optional<String> state,
        Optional<String> raw,
        List<OmittedFile> omitted,
        List<SpecialFile> special) {

    private static final int MOST_NAMED = 1_000;
    private static final int MOST_WHY = 200;

    static String why(String given) {
        var text = given.strip().replaceAll("\\p{Cntrl}+", " ");
        return text.length() > MOST_WHY ? text.substring(0, MOST_WHY) : text;
    }

    String text() {
        var lines = new ArrayList<String>();
        lines.add("roost checkpoint %s %d: %s".formatted(run, n, why));
        lines.add("");
        lines.add("Roost-Run: " + run);
        lines.add("Roost-Number: " + n);
        lines.add("Roost-Head: " + head.orElse("none"));
        branch.ifPresent(name -> lines.add("Roost-Branch: " + new GitPath(latin(name)).encoded()));
        lines.add("Roost-Index: " + index.orElse("unmerged"));
        operation.ifPresent(what -> lines.add("Roost-Mid: " + what.word()));
        state.ifPresent(tree -> lines.add("Roost-State: " + tree));
        raw.ifPresent(tree -> lines.add("Roost-Raw: " + tree));
        omitted.stream()
                .limit(MOST_NAMED)
                .forEach(out -> lines.add("Roost-Left-Out: %s %s %d"
                        .formatted(out.path().encoded(), out.kind().name().toLowerCase(Locale.ROOT), out.bytes())));
        if (omitted.size() > MOST_NAMED) lines.add("Roost-Left-Out-More: " + (omitted.size() - MOST_NAMED));
        special.stream()
                .limit(MOST_NAMED)
                .forEach(file -> lines.add("Roost-Special: %s %s"
                        .formatted(
                                new GitPath(latin(file.path())).encoded(),
                                file.reason().word())));
        if (special.size() > MOST_NAMED) lines.add("Roost-Special-More: " + (special.size() - MOST_NAMED));
        return String.join("\n", lines) + "\n";
    }

    CheckpointMessage with(int n, List<OmittedFile> omitted) {
        return new CheckpointMessage(
                run, n, why, head, branch, index, operation, state, raw, List.copyOf(omitted), special);
    }

    /** Whether the checkpoints of both messages have the same content, apart from their own trees. */
    boolean hasSameContent(CheckpointMessage other) {
        return head.equals(other.head)
                && branch.equals(other.branch)
                && index.equals(other.index)
                && operation.equals(other.operation)
                && state.equals(other.state)
                && raw.equals(other.raw);
    }

    /**
     * Parses a commit as {@code git cat-file commit} prints it. Empty if Roost did not write it: an agent can create such
     * refs, too.
     */
    public static Optional<Checkpoint> parse(CheckpointRef ref, String commit) {
        try {
            return read(ref, commit);
        } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<Checkpoint> read(CheckpointRef ref, String commit) {
        int body = commit.indexOf("\n\n");
        if (body < 0) return Optional.empty();
        String tree = "";
        var at = Instant.EPOCH;
        for (var line : GitReply.pieces(commit.substring(0, body), '\n')) {
            if (line.startsWith("tree ")) tree = line.substring("tree ".length());
            if (line.startsWith("committer ")) {
                var words = GitReply.pieces(line, ' ');
                at = Instant.ofEpochSecond(Long.parseLong(words.get(words.size() - 2)));
            }
        }
        var lines = GitReply.pieces(utf8(commit.substring(body + 2)), '\n');
        var run = value(lines, "Roost-Run").flatMap(RunId::parse);
        if (run.isEmpty() || tree.isEmpty()) return Optional.empty();
        var subject = lines.getFirst();
        var why = subject.contains(": ") ? subject.substring(subject.indexOf(": ") + 2) : "";
        var message = new CheckpointMessage(
                run.get(),
                value(lines, "Roost-Number").map(Integer::parseInt).orElse(0),
                why,
                value(lines, "Roost-Head").filter(head -> !head.equals("none")),
                value(lines, "Roost-Branch").map(name -> GitPath.decoded(name).text()),
                value(lines, "Roost-Index").filter(index -> !index.equals("unmerged")),
                value(lines, "Roost-Mid").flatMap(GitOperation::of),
                value(lines, "Roost-State"),
                value(lines, "Roost-Raw"),
                values(lines, "Roost-Left-Out", 3, CheckpointMessage::omitted),
                values(lines, "Roost-Special", 2, CheckpointMessage::special));
        return Optional.of(new Checkpoint(ref, tree, at, message));
    }

    private static Optional<String> value(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + ": "))
                .findFirst()
                .map(line -> line.substring(name.length() + 2).strip());
    }

    /** The values of a line that may be repeated, each as so many words. */
    private static <T> List<T> values(List<String> lines, String name, int count, Function<List<String>, T> parser) {
        return lines.stream()
                .filter(line -> line.startsWith(name + ": "))
                .map(line -> GitReply.pieces(line.substring(name.length() + 2), ' '))
                .filter(words -> words.size() == count)
                .map(parser)
                .toList();
    }

    private static OmittedFile omitted(List<String> words) {
        var reason = OmittedFile.OmissionReason.valueOf(words.get(1).toUpperCase(Locale.ROOT));
        return new OmittedFile(GitPath.decoded(words.get(0)), reason, Long.parseLong(words.get(2)));
    }

    private static SpecialFile special(List<String> words) {
        var reason = SpecialFile.SpecialReason.valueOf(words.get(1).toUpperCase(Locale.ROOT));
        return new SpecialFile(GitPath.decoded(words.get(0)).text(), reason);
    }

    private static String latin(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
