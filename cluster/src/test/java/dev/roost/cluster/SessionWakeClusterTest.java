package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.ClusterMachine;
import dev.roost.cluster.testing.ClusterMachines;
import dev.roost.cluster.testing.TwoMachineFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Only the node of a session wakes it. */
class SessionWakeClusterTest extends TwoMachineFixture {

    private static void hear(ClusterMachine clusterMachine, SessionEvent... events) {
        for (var event : events)
            clusterMachine
                    .service
                    .sessions()
                    .record(new SessionReport(
                            ClusterMachines.PARENT,
                            "claude-code",
                            Optional.empty(),
                            Optional.<OwnerSession.HarnessProcess>empty(),
                            event));
    }

    private static RunRecord ended(ClusterMachine clusterMachine) {
        return clusterMachine.awaitEnd(clusterMachine.start("command", sh("echo done"), clusterMachine.clone, false));
    }

    /** The nodes that wrote an event about a wake, in all runs. */
    private List<String> wakers() {
        return clusterMachines.column("SELECT node FROM event WHERE kind = 'wake' ORDER BY seq");
    }

    private List<String> wakers(RunRecord run) {
        return clusterMachines.column(
                "SELECT node FROM event WHERE kind = 'wake' AND run_id = '%s'".formatted(run.id()));
    }

    private void awaitDecision(RunRecord run) {
        await().atMost(ClusterMachines.SOON)
                .untilAsserted(() -> assertThat(wakers(run)).isNotEmpty());
    }

    @Test
    void only_the_node_of_a_session_decides_about_its_wake() {
        hear(
                one,
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true));
        for (var clusterMachine : List.of(one, two, one, two)) awaitDecision(ended(clusterMachine));
        assertThat(wakers()).containsOnly("one");

        hear(
                two,
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true)); // the session continues there
        var later = ended(one);
        awaitDecision(later);
        awaitDecision(ended(two));
        assertThat(wakers(later)).containsOnly("two");
    }

    @Test
    void an_ended_session_is_continued_once_on_its_own_node() {
        var continued = new ConcurrentLinkedQueue<String>();
        for (var clusterMachine : List.of(one, two))
            clusterMachine.service.sessions().onHeadlessWake((_, _) -> continued.add(clusterMachine.name));
        hear(
                two,
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true));
        hear(two, new SessionEvent.SessionEnded());

        awaitDecision(ended(one));

        assertThat(continued).containsExactly("two");
        assertThat(wakers()).containsOnly("two");
    }

    @Test
    void notices_of_a_session_wait_without_a_wake_while_its_node_is_away() {
        hear(
                one,
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true));
        one.die();
        unheard("one");
        var run = ended(two);
        assertThat(two.service.inbox(Optional.of(ClusterMachines.PARENT), ClusterMachines.OPERATOR))
                .hasSize(1);
        await().during(Duration.ofSeconds(2)).atMost(ClusterMachines.SOON).until(() -> wakers().isEmpty());

        one.comeBack();

        awaitDecision(run);
        assertThat(wakers()).containsOnly("one");
        var offer = two.service
                .sessions()
                .record(new SessionReport(
                        ClusterMachines.PARENT,
                        "claude-code",
                        Optional.empty(),
                        Optional.empty(),
                        new SessionEvent.PromptSubmitted(true)))
                .offer();
        assertThat(offer.orElseThrow().notices()).hasSize(1);
    }
}
