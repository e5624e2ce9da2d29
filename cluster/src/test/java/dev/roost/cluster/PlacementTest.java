package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.Placement.PlacedRun;
import dev.roost.cluster.Placement.QueuedRun;
import dev.roost.model.Caps;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the choice of runs and nodes. */
class PlacementTest {

    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    private static NodeRow node(String name, int maxLive, int running) {
        return new NodeRow(
                name, 1, "1", Set.of("agent:command"), maxLive, NodeRow.State.MEMBER, true, true, NOW, running);
    }

    private static QueuedRun waiting(String run, String owner, long since, Optional<String> before) {
        return new QueuedRun(run, 1, owner, since, Set.of("agent:command"), before);
    }

    private static List<String> placed(List<QueuedRun> queue, List<NodeRow> nodes, Caps caps) {
        return Placement.plan(queue, nodes, Map.of(), caps).stream()
                .map(one -> one.run().run() + " on " + one.node())
                .toList();
    }

    @Test
    void a_run_taken_over_by_a_node_without_slots_starts_on_another_node() {
        var queue = List.of(waiting("r_1", "claude:one", 1, Optional.of("front")));
        assertThat(placed(queue, List.of(node("front", 0, 0), node("worker", 2, 0)), Caps.NONE))
                .containsExactly("r_1 on worker");
    }

    @Test
    void a_run_waits_for_its_previous_node_if_that_node_is_only_full() {
        var queue = List.of(waiting("r_1", "claude:one", 1, Optional.of("one")));
        assertThat(placed(queue, List.of(node("one", 2, 2), node("other", 2, 0)), Caps.NONE))
                .isEmpty();
        assertThat(placed(queue, List.of(node("one", 2, 1), node("other", 2, 0)), Caps.NONE))
                .containsExactly("r_1 on one");
    }

    @Test
    void owners_take_turns_and_no_cap_is_exceeded() {
        var none = Optional.<String>empty();
        var queue = List.of(
                waiting("r_1", "claude:one", 1, none),
                waiting("r_2", "claude:one", 2, none),
                waiting("r_3", "claude:one", 3, none),
                waiting("r_4", "claude:two", 4, none));
        var nodes = List.of(node("a", 2, 0), node("b", 2, 1));
        assertThat(Placement.plan(queue, nodes, Map.of(), new Caps(2, 9, Caps.Overflow.QUEUE)).stream()
                        .map(PlacedRun::run)
                        .map(QueuedRun::run))
                .containsExactly("r_1", "r_4", "r_2");
        assertThat(placed(queue, nodes, new Caps(2, 2, Caps.Overflow.QUEUE))).hasSize(2);
    }
}
