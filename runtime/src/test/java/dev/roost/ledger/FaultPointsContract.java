package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.FaultPoints;
import dev.roost.base.Refusal;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.testing.LedgerFixture;
import dev.roost.model.SessionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Fault points lie just before a step becomes durable, and just after. */
interface FaultPointsContract extends LedgerFixture {

    /** Records each fault point with the durable state at that time. */
    final class RecordingFaultPoints implements FaultPoints {

        private final Ledger ledger;
        private final List<String> points = new ArrayList<>();

        RecordingFaultPoints(Ledger ledger) {
            this.ledger = ledger;
        }

        @Override
        public void before(List<Step> steps) {
            for (var step : steps) points.add("before %s: %s".formatted(step.word(), durable()));
        }

        @Override
        public void after(List<Step> steps) {
            for (var step : steps) points.add("after %s: %s".formatted(step.word(), durable()));
        }

        private String durable() {
            var runs = ledger.runs().list(RunQuery.of(RunQuery.StatusFilter.ALL)).stream()
                    .map(run -> run.status().word());
            return "%s, %d pending"
                    .formatted(
                            runs.findFirst().orElse("nothing"),
                            ledger.notices().pending(Optional.empty()).size());
        }
    }

    @Test
    default void a_fault_point_lies_just_before_its_step_is_durable_or_just_after_and_before_the_listeners() {
        var recorder = new RecordingFaultPoints(ledger());
        ledger().setFaultPoints(recorder);
        ledger().listeners().onCommit(runs -> runs.forEach(_ -> recorder.points.add("told")));
        reportEvent(OWNER, new SessionEvent.SessionStarted());
        var run = running();
        ledger().recordStarted(run, 1, processes());
        ledger().finish(run, 1, end(SUCCESS));
        deliver(reportEvent(OWNER, new SessionEvent.PromptSubmitted(true)));
        reportEvent(OWNER, new SessionEvent.ToolsFinished());
        ledger().remove(run);
        assertThat(recorder.points)
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
    default void a_refused_or_late_write_has_no_fault_point() {
        submit(aRun(Optional.of("nightly"), OWNER));
        var run = running();
        ledger().finish(run, 1, end(SUCCESS));
        submit(aRun(Optional.of("nightly"), OWNER));
        var recorder = new RecordingFaultPoints(ledger());
        ledger().setFaultPoints(recorder);
        assertThatThrownBy(() -> submit(aRun(Optional.of("nightly"), OWNER))).isInstanceOf(Refusal.class);
        ledger().finish(run, 1, end(SUCCESS));
        ledger().recordStarted(run, 1, processes());
        ledger().notices().acknowledge(List.of(4711L), Optional.empty());
        assertThat(recorder.points).isEmpty();
    }
}
