package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.run.Faults;
import dev.roost.run.ParentEvent;
import dev.roost.run.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where a fault can strike: just before a step is durable, and just after. */
interface FaultsContract extends LedgerStage {

    /** Says where each step was, and what anybody else could read then. */
    final class Witness implements Faults {

        private final Ledger ledger;
        private final List<String> seen = new ArrayList<>();

        Witness(Ledger ledger) {
            this.ledger = ledger;
        }

        @Override
        public void before(List<Step> steps) {
            for (var step : steps) seen.add("before %s: %s".formatted(step.word(), durable()));
        }

        @Override
        public void after(List<Step> steps) {
            for (var step : steps) seen.add("after %s: %s".formatted(step.word(), durable()));
        }

        private String durable() {
            var runs = ledger.runs().list(Query.of(Query.Which.ALL)).stream()
                    .map(run -> run.status().word());
            return "%s, %d pending"
                    .formatted(
                            runs.findFirst().orElse("nothing"),
                            ledger.notices().pending(Optional.empty()).size());
        }
    }

    @Test
    default void a_fault_comes_just_before_its_step_is_durable_or_just_after_and_before_anybody_is_told() {
        var witness = new Witness(ledger());
        ledger().disturbedBy(witness);
        ledger().listeners().onCommit(runs -> runs.forEach(_ -> witness.seen.add("told")));
        hear(PARENT, new ParentEvent.Started());
        var run = running();
        ledger().began(run, 1, processes());
        ledger().finish(run, 1, end(SUCCESS));
        given(hear(PARENT, new ParentEvent.Prompted(true)));
        hear(PARENT, new ParentEvent.ToolsDone());
        ledger().remove(run);
        assertThat(witness.seen)
                .containsExactly(
                        "before submit: nothing, 0 pending",
                        "after submit: queued, 0 pending",
                        "told",
                        "before claim: queued, 0 pending",
                        "after claim: running, 0 pending",
                        "told",
                        "before start: running, 0 pending",
                        "after start: running, 0 pending",
                        "told",
                        "before finish: running, 0 pending",
                        "after finish: completed, 1 pending",
                        "told",
                        "before offer: completed, 1 pending",
                        "after offer: completed, 1 pending",
                        "before acknowledge: completed, 1 pending",
                        "after acknowledge: completed, 0 pending",
                        "before prune: completed, 0 pending",
                        "after prune: nothing, 0 pending",
                        "told");
    }

    @Test
    default void what_was_refused_or_came_too_late_is_no_step() {
        submit(aRun(Optional.of("nightly"), PARENT));
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        submit(aRun(Optional.of("nightly"), PARENT));
        var witness = new Witness(ledger());
        ledger().disturbedBy(witness);
        assertThatThrownBy(() -> submit(aRun(Optional.of("nightly"), PARENT))).isInstanceOf(Refused.class);
        ledger().finish(run, 1, end(SUCCESS));
        ledger().began(run, 1, processes());
        ledger().notices().acknowledge(List.of(4711L), Optional.empty());
        assertThat(witness.seen).isEmpty();
    }
}
