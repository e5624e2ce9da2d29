package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import dev.roost.base.FaultPoints.Step;
import dev.roost.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parses and reloads a fault file. DaemonCrashPointProcessTest checks that a daemon really dies. */
class FaultFileTest {

    @TempDir
    Path scratch;

    private final ManualClock clock = new ManualClock();

    private Optional<FaultFile> faults() {
        return FaultFile.of(Map.of("ROOST_FAULTS", scratch.resolve("faults").toString()), clock);
    }

    private void write(String lines) throws IOException {
        Files.writeString(scratch.resolve("new"), lines);
        Files.move(
                scratch.resolve("new"), scratch.resolve("faults"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void without_the_variable_no_fault_is_injected() {
        assertThat(FaultFile.of(Map.of(), clock)).isEmpty();
        assertThat(FaultFile.of(Map.of("ROOST_FAULTS", ""), clock)).isEmpty();
    }

    @Test
    void a_missing_or_empty_file_injects_no_fault() throws Exception {
        var faults = faults().orElseThrow();
        faults.before(Step.CLAIM);
        write("");
        faults.after(Step.CLAIM);
        assertThat(faults.clock().now()).isEqualTo(clock.now());
    }

    @Test
    void an_invalid_line_is_reported_at_the_start() throws Exception {
        for (var line : List.of(
                "kill claim", "kill before levitate", "kill after claim 0", "slow", "slow 5", "clock 1h", "fire")) {
            write("# a test\n\n" + line + "\n");
            assertThatThrownBy(this::faults).isInstanceOf(BadInput.class).hasMessageContaining(line);
        }
    }

    @Test
    void a_later_invalid_line_is_skipped_and_the_other_lines_apply() throws Exception {
        var faults = faults().orElseThrow();
        write("fire\nclock +1h\n");
        faults.before(Step.CLAIM);
        assertThat(Duration.between(clock.now(), faults.clock().now())).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void a_clock_offset_applies_until_the_file_is_deleted_and_never_to_durations() throws Exception {
        var shifted = faults().orElseThrow().clock();
        write("clock -30m\n");
        clock.advance(Duration.ofMillis(21));
        assertThat(Duration.between(shifted.now(), clock.now())).isEqualTo(Duration.ofMinutes(30));
        assertThat(shifted.monotonicNanos()).isEqualTo(clock.monotonicNanos());
        Files.delete(scratch.resolve("faults"));
        clock.advance(Duration.ofMillis(21));
        assertThat(shifted.now()).isEqualTo(clock.now());
    }

    @Test
    void a_kill_happens_only_at_its_step_and_count() {
        var plan = FaultPlan.read(List.of("kill after claim 3", "kill before prune"));
        assertThat(plan.fatal("after", List.of(Step.CLAIM, Step.SUBMIT))).isEmpty();
        assertThat(plan.fatal("before", List.of(Step.CLAIM, Step.CLAIM))).isEmpty();
        assertThat(plan.fatal("after", List.of())).isEmpty();
        assertThat(plan.fatal("after", List.of(Step.CLAIM, Step.CLAIM))).contains(Step.CLAIM);
        assertThat(plan.fatal("before", List.of(Step.PRUNE))).contains(Step.PRUNE);
    }

    @Test
    void slow_sets_the_delay_of_durable_steps() {
        assertThat(FaultPlan.read(List.of("slow 250ms")).pause()).isEqualTo(Duration.ofMillis(250));
        assertThat(FaultPlan.read(List.of()).pause()).isZero();
    }
}
