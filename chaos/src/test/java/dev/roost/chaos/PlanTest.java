package dev.roost.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The plan is a function of the seed. */
class PlanTest {

    private static List<Plan.FaultBurst> bursts(long seed, int live) {
        var plan = new Plan(seed, EnumSet.allOf(Fault.class), true, true);
        var bursts = new ArrayList<Plan.FaultBurst>();
        for (int i = 0; i < 50; i++) bursts.add(plan.next(live));
        return bursts;
    }

    private static List<Plan.PlannedFault> strikes(List<Plan.FaultBurst> bursts) {
        return bursts.stream().flatMap(burst -> burst.strikes().stream()).toList();
    }

    @Test
    void the_same_seed_gives_the_same_plan_and_another_seed_another() {
        assertThat(bursts(42, 0)).isEqualTo(bursts(42, 0)).isNotEqualTo(bursts(43, 0));
    }

    @Test
    void the_number_of_live_runs_does_not_change_the_faults() {
        assertThat(strikes(bursts(42, 0))).isEqualTo(strikes(bursts(42, 100)));
    }

    @Test
    void every_kind_of_fault_is_played_once_before_one_repeats() {
        assertThat(strikes(bursts(42, 0)).stream().limit(12).map(Plan.PlannedFault::fault))
                .containsExactlyInAnyOrder(Fault.values());
    }
}
