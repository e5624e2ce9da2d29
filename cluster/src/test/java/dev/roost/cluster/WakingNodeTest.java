package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.ledger.Report;
import dev.roost.ledger.Run;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The node of a session wakes it, and nobody else does. */
class WakingNodeTest extends TwoMachines {

    private static void hear(Machine machine, ParentEvent... events) {
        for (var event : events)
            machine.house
                    .sessions()
                    .hear(new Report(
                            Machines.PARENT, "claude-code", Optional.empty(), Optional.<Parent.Harness>empty(), event));
    }

    private static Run ended(Machine machine) {
        return machine.awaitEnd(machine.start("command", sh("echo done"), machine.clone, false));
    }

    /** Who has said something about waking, in all runs. */
    private List<String> wakers() {
        return machines.column("SELECT node FROM event WHERE kind = 'wake' ORDER BY seq");
    }

    private List<String> wakers(Run run) {
        return machines.column("SELECT node FROM event WHERE kind = 'wake' AND run_id = '%s'".formatted(run.id()));
    }

    private void awaitDecision(Run run) {
        await().atMost(Machines.SOON)
                .untilAsserted(() -> assertThat(wakers(run)).isNotEmpty());
    }

    @Test
    void only_the_node_of_a_session_decides_whether_it_is_woken() {
        hear(one, new ParentEvent.Started(), new ParentEvent.Prompted(true), new ParentEvent.TurnEnded(true));
        for (var machine : List.of(one, two, one, two)) awaitDecision(ended(machine));
        assertThat(wakers()).containsOnly("one");

        hear(two, new ParentEvent.Prompted(true), new ParentEvent.TurnEnded(true)); // it goes on there
        var later = ended(one);
        awaitDecision(later);
        awaitDecision(ended(two));
        assertThat(wakers(later)).containsOnly("two");
    }

    @Test
    void a_session_that_has_ended_is_continued_once_and_on_its_own_node() {
        var continued = new ConcurrentLinkedQueue<String>();
        for (var machine : List.of(one, two))
            machine.house.sessions().onHeadlessWake((_, _) -> continued.add(machine.name));
        hear(two, new ParentEvent.Started(), new ParentEvent.Prompted(true), new ParentEvent.TurnEnded(true));
        hear(two, new ParentEvent.Ended());

        awaitDecision(ended(one));

        assertThat(continued).containsExactly("two");
        assertThat(wakers()).containsOnly("two");
    }

    @Test
    void while_the_node_of_a_session_is_away_nothing_is_decided_and_its_notices_wait() {
        hear(one, new ParentEvent.Started(), new ParentEvent.Prompted(true), new ParentEvent.TurnEnded(true));
        one.die();
        unheard("one");
        var run = ended(two);
        assertThat(two.house.inbox(Optional.of(Machines.PARENT), Machines.OPERATOR))
                .hasSize(1);
        await().during(Duration.ofSeconds(2)).atMost(Machines.SOON).until(() -> wakers().isEmpty());

        one.comeBack();

        awaitDecision(run);
        assertThat(wakers()).containsOnly("one");
        var offer = two.house
                .sessions()
                .hear(new Report(
                        Machines.PARENT,
                        "claude-code",
                        Optional.empty(),
                        Optional.empty(),
                        new ParentEvent.Prompted(true)))
                .offer();
        assertThat(offer.orElseThrow().notices()).hasSize(1);
    }
}
