package dev.roost.cluster;

import dev.roost.model.Caps;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Chooses the next runs and their nodes: the owner with the fewest live runs first, then the oldest run; on the node with most free slots. */
final class Placement {

    private Placement() {}

    /** A queued run. The node {@code before} has its files. */
    record QueuedRun(String run, int attempt, String owner, long since, Set<String> needs, Optional<String> before) {}

    /** {@code node} starts the run. */
    record PlacedRun(QueuedRun run, String node) {}

    static List<PlacedRun> plan(List<QueuedRun> queue, List<NodeRow> nodes, Map<String, Integer> running, Caps caps) {
        var live = new HashMap<>(running);
        int all = running.values().stream().mapToInt(Integer::intValue).sum();
        var room = new HashMap<String, Integer>();
        for (var node : nodes) room.put(node.name(), node.free());
        var left = new ArrayList<>(queue);
        left.removeIf(run -> node(run, nodes, room).isEmpty());
        left.sort(Comparator.comparingLong(QueuedRun::since).thenComparing(QueuedRun::run));
        var placed = new ArrayList<PlacedRun>();
        while (all < caps.machine()) {
            PlacedRun best = null;
            for (var run : left) {
                int own = live.getOrDefault(run.owner, 0);
                if (own >= caps.perOwner() || (best != null && own >= live.getOrDefault(best.run.owner, 0))) continue;
                var node = node(run, nodes, room);
                if (node.isPresent()) best = new PlacedRun(run, node.get());
            }
            if (best == null) break;
            placed.add(best);
            left.remove(best.run);
            live.merge(best.run.owner, 1, Integer::sum);
            if (room.merge(best.node, -1, Integer::sum) == 0)
                left.removeIf(run -> node(run, nodes, room).isEmpty());
            all++;
        }
        return placed;
    }

    /** The node that has its conversation and files, if that node is live; otherwise the node with the most free slots. */
    private static Optional<String> node(QueuedRun run, List<NodeRow> nodes, Map<String, Integer> room) {
        var before = run.before.flatMap(
                name -> nodes.stream().filter(node -> node.name().equals(name)).findFirst());
        if (before.filter(node -> node.isAvailable()
                        && node.maxLive() > 0
                        && node.missing(run.needs).isEmpty())
                .isPresent()) {
            return before.map(NodeRow::name).filter(name -> room.getOrDefault(name, 0) > 0);
        }
        return nodes.stream()
                .filter(node -> room.getOrDefault(node.name(), 0) > 0)
                .filter(node -> node.missing(run.needs).isEmpty())
                .max(Comparator.<NodeRow>comparingInt(node -> room.getOrDefault(node.name(), 0))
                        .thenComparing(NodeRow::name, Comparator.reverseOrder()))
                .map(NodeRow::name);
    }
}
