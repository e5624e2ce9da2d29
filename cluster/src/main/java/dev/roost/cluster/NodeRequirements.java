package dev.roost.cluster;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.node.AttemptOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Computes the labels that a run requires of its node: its agent, its directory or repository, and the requested tags. */
public record NodeRequirements(String self, Supplier<List<NodeRow>> nodes) {

    public static final String AGENT = "agent:";
    static final String DIRECTORY = "dir:";
    public static final String NODE = "node:";
    static final String REPOSITORY = "repo:";
    static final String TAG = "tag:";

    /** Whether some node has the directory. */
    boolean isReachable(Path directory) {
        return directory.isAbsolute()
                && (Files.isDirectory(directory)
                        || shared(nodes.get(), directory.normalize()).isPresent());
    }

    /** Refused if no node has all labels. If such a node is away or full, or only a tag is missing, the run waits. */
    Set<String> needs(AttemptOrder order) {
        var all = nodes.get();
        var needs = needs(all, order);
        if (all.stream().anyMatch(node -> node.missing(needs).isEmpty())) return needs;
        var tags = order.tags().stream().map(TAG::concat).collect(Collectors.toSet());
        boolean awaited = all.stream().noneMatch(node -> node.labels().containsAll(tags));
        var rest = needs.stream().filter(need -> !tags.contains(need)).collect(Collectors.toSet());
        if (awaited && all.stream().anyMatch(node -> node.missing(rest).isEmpty())) return needs;
        var one = all.stream()
                .flatMap(node -> node.missing(needs).stream())
                .findFirst()
                .orElse("a node");
        throw ErrorCode.NO_NODE_FOR_IT.error(
                "No node of this cluster has all that this needs (%s).".formatted(String.join(", ", needs)),
                "See roost node list. Perhaps %s is missing on a node.".formatted(one));
    }

    /** Whether another node has all labels, and is there {@code now} or has at least not left for good. */
    boolean canRunWithout(String node, AttemptOrder order, boolean now) {
        var all = nodes.get();
        var needs = needs(all, order);
        return all.stream()
                .anyMatch(one -> !one.name().equals(node)
                        && (now ? one.isAvailable() : one.state() != NodeRow.State.LEFT)
                        && one.maxLive() > 0
                        && one.missing(needs).isEmpty());
    }

    private Set<String> needs(List<NodeRow> all, AttemptOrder order) {
        var needs = new TreeSet<String>();
        needs.add(AGENT + order.agent());
        order.tags().forEach(tag -> needs.add(TAG + tag));
        needs.add(place(all, order));
        return needs;
    }

    /** The label of a shared repository or directory; otherwise the run is bound to the node of its submission. */
    private String place(List<NodeRow> all, AttemptOrder order) {
        if (order.only().isPresent()) return NODE + order.only().get();
        var repository = order.source()
                .filter(source -> canTransfer(all, order, source))
                .map(source -> REPOSITORY + source.key())
                .filter(label -> all.stream().anyMatch(node -> node.labels().contains(label)));
        if (repository.isPresent()) return repository.get();
        var shared = shared(all, order.cwd().normalize());
        if (shared.isPresent()) return shared.get();
        if (order.from().equals(self) && !Files.isDirectory(order.cwd())) {
            throw ErrorCode.NO_SUCH_DIRECTORY.error(
                    "No node has the directory \"%s\"."
                            .formatted(TextFormat.printable(order.cwd().toString())),
                    "Pass a directory that a node has: [node] directories in its config.toml names them.");
        }
        return NODE + order.from();
    }

    /**
     * Whether a run may use another clone than the one of its submission. A front node starts no runs, so its runs always may.
     * Otherwise a run stays if its commit exists only in that clone, or if its node does not offer the checkout to others.
     */
    private static boolean canTransfer(List<NodeRow> all, AttemptOrder order, AttemptOrder.RepositorySource source) {
        var from = all.stream().filter(node -> node.name().equals(order.from())).findFirst();
        if (from.filter(node -> node.maxLive() > 0).isEmpty()) return true;
        return order.worktree() ? source.shared() : from.get().labels().contains(REPOSITORY + source.key());
    }

    /** The label of the innermost shared directory that contains it. */
    private static Optional<String> shared(List<NodeRow> all, Path directory) {
        return all.stream()
                .flatMap(node -> node.labels().stream())
                .filter(label -> label.startsWith(DIRECTORY))
                .distinct()
                .filter(label -> directory.startsWith(label.substring(DIRECTORY.length())))
                .max(Comparator.comparingInt(String::length));
    }
}
