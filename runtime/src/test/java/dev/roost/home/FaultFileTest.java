package dev.roost.home;

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

/** What a file of faults says; that its daemon really dies, DaemonCrashPointProcessTest sees. */
class FaultFileTest {

    @TempDir
    Path scratch;

    private final ManualClock clock = new ManualClock();

    private Optional<FaultFile> faults() {
        return FaultFile.of(Map.of("ROOST_FAULTS", scratch.resolve("faults").toString()), clock);
    }

    private void say(String lines) throws IOException {
        Files.writeString(scratch.resolve("new"), lines);
        Files.move(
                scratch.resolve("new"), scratch.resolve("faults"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void without_the_variable_there_are_none() {
        assertThat(FaultFile.of(Map.of(), clock)).isEmpty();
        assertThat(FaultFile.of(Map.of("ROOST_FAULTS", ""), clock)).isEmpty();
    }

    @Test
    void a_file_that_is_missing_or_empty_means_no_fault() throws Exception {
        var faults = faults().orElseThrow();
        faults.before(Step.CLAIM);
        say("");
        faults.after(Step.CLAIM);
        assertThat(faults.clock().now()).isEqualTo(clock.now());
    }

    @Test
    void a_line_that_is_not_understood_is_named_at_the_start() throws Exception {
        for (var line : List.of(
                "kill claim", "kill before levitate", "kill after claim 0", "slow", "slow 5", "clock 1h", "fire")) {
            say("# a test\n\n" + line + "\n");
            assertThatThrownBy(this::faults).isInstanceOf(BadInput.class).hasMessageContaining(line);
        }
    }

    @Test
    void a_line_that_is_not_understood_later_is_passed_over_and_the_others_hold() throws Exception {
        var faults = faults().orElseThrow();
        say("fire\nclock +1h\n");
        faults.before(Step.CLAIM);
        assertThat(Duration.between(clock.now(), faults.clock().now())).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void the_wall_clock_goes_wrong_and_right_again_while_it_is_read_and_durations_do_not() throws Exception {
        var wrong = faults().orElseThrow().clock();
        say("clock -30m\n");
        clock.advance(Duration.ofMillis(21));
        assertThat(Duration.between(wrong.now(), clock.now())).isEqualTo(Duration.ofMinutes(30));
        assertThat(wrong.monotonicNanos()).isEqualTo(clock.monotonicNanos());
        Files.delete(scratch.resolve("faults"));
        clock.advance(Duration.ofMillis(21));
        assertThat(wrong.now()).isEqualTo(clock.now());
    }

    @Test
    void a_death_comes_at_its_step_and_its_time_and_at_no_other() {
        var plan = FaultPlan.read(List.of("kill after claim 3", "kill before prune"))
                .plan();
        assertThat(plan.kills(FaultPlan.KillPoint.AFTER, List.of(Step.CLAIM, Step.SUBMIT)))
                .isEmpty();
        assertThat(plan.kills(FaultPlan.KillPoint.BEFORE, List.of(Step.CLAIM, Step.CLAIM)))
                .isEmpty();
        assertThat(plan.kills(FaultPlan.KillPoint.AFTER, List.of())).isEmpty();
        assertThat(plan.kills(FaultPlan.KillPoint.AFTER, List.of(Step.CLAIM, Step.CLAIM)))
                .contains(Step.CLAIM);
        assertThat(plan.kills(FaultPlan.KillPoint.BEFORE, List.of(Step.PRUNE))).contains(Step.PRUNE);
    }

    @Test
    void what_is_durable_takes_as_long_as_it_says() {
        assertThat(FaultPlan.read(List.of("slow 250ms")).plan().pause()).contains(Duration.ofMillis(250));
        assertThat(FaultPlan.NONE.pause()).isEmpty();
    }
}
