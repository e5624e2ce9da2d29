package dev.roost.cluster;

import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Explains why a run does not start, or why its node does not answer. */
record WaitReasons(List<NodeRow> nodes) {

    Map<RunId, String> of(List<RunRecord> queued, Map<RunId, Set<String>> needs, List<RunRecord> elsewhere) {
        var all = new HashMap<RunId, String>();
        for (var run : queued)
            reasonFor(needs.getOrDefault(run.id(), Set.of()), run.holder())
                    .ifPresent(words -> all.put(run.id(), words));
        for (var run : elsewhere) silentNode(run).ifPresent(words -> all.put(run.id(), words));
        return all;
    }

    /** For a queued run; empty if it starts soon, or if only a cap keeps it. */
    Optional<String> reasonFor(Set<String> needs, Optional<String> before) {
        var fit = nodes.stream()
                .filter(node -> node.maxLive() > 0 && node.missing(needs).isEmpty())
                .toList();
        if (fit.isEmpty()) return Optional.of(noNodeFor(needs));
        var alive = fit.stream().filter(NodeRow::isAvailable).toList();
        if (alive.isEmpty())
            return Optional.of("only %s can start it"
                    .formatted(fit.stream().map(WaitReasons::awayNode).collect(Collectors.joining(" or "))));
        var previous = alive.stream()
                .filter(node -> before.equals(Optional.of(node.name())))
                .findFirst();
        if (previous.filter(node -> node.settled() && node.free() == 0).isPresent())
            return previous.map(node -> "there is no free slot on %s, which has its files".formatted(node.name()));
        if (alive.stream().anyMatch(node -> node.free() > 0)) return Optional.empty();
        var starting = alive.stream().filter(node -> !node.settled()).findFirst();
        if (starting.isPresent()) return starting.map(node -> node.name() + " is just starting");
        return Optional.of(
                "there is no free slot on " + alive.stream().map(NodeRow::name).collect(Collectors.joining(" and ")));
    }

    /** For a run that a node has. */
    Optional<String> silentNode(RunRecord run) {
        var name = run.latest().node().orElse("");
        var node = nodes.stream().filter(one -> one.name().equals(name)).findFirst();
        if (node.filter(NodeRow::live).isPresent()) return Optional.empty();
        return node.map(one ->
                "its node %s has sent no heartbeat since %s; messages to it are stored, and other nodes take it over after the grace"
                        .formatted(one.name(), one.heardAt()));
    }

    private static String awayNode(NodeRow node) {
        if (node.state() == NodeRow.State.LEFT) return node.name() + ", which has left,";
        if (!node.live()) return "%s, whose last heartbeat was at %s,".formatted(node.name(), node.heardAt());
        return node.name() + ", which is drained,";
    }

    private String noNodeFor(Set<String> needs) {
        var missing = needs.stream()
                .filter(need -> nodes.stream()
                        .noneMatch(node -> node.maxLive() > 0 && node.labels().contains(need)))
                .sorted()
                .toList();
        var tags = missing.stream()
                .filter(need -> need.startsWith(NodeRequirements.TAG))
                .map(need -> need.substring(NodeRequirements.TAG.length()))
                .toList();
        if (!tags.isEmpty()) return "no node has the tag " + String.join(" or ", tags);
        var removed = missing.stream()
                .filter(need -> need.startsWith(NodeRequirements.NODE))
                .map(need -> need.substring(NodeRequirements.NODE.length()))
                .findFirst();
        if (removed.isPresent()) return "only %s could start it, and that node was removed".formatted(removed.get());
        return "no node has all that it needs: " + String.join(", ", needs);
    }
}
