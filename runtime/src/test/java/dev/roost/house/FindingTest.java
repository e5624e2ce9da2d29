package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Budget;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Owner;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs are found by name, id and the beginning of one, by whom they are there for. */
@Tag("portable")
class FindingTest extends RealProcesses {

    private Run named(String name, Owner owner) {
        return house.start(new StartRequest(
                owner,
                "command",
                request("true").task(),
                Optional.of(name),
                Optional.empty(),
                scratch,
                Map.of(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
    }

    @Test
    void a_name_that_is_the_beginning_of_many_ids_is_still_a_name() {
        var named = named("r", PARENT);
        for (int i = 0; i < 25; i++) start("true");
        assertThat(house.find("r", AS_PARENT).id()).isEqualTo(named.id());
    }

    @Test
    void a_name_that_several_owners_use_means_ones_own_and_otherwise_nobodys() {
        var own = named("build", AS_OPERATOR.owner());
        var parents = named("build", PARENT);
        named("docs", PARENT);
        var others = named("docs", new Owner("claude:other"));
        assertThat(house.find("build", AS_OPERATOR).id()).isEqualTo(own.id());
        assertThat(house.find("build", AS_PARENT).id()).isEqualTo(parents.id());
        assertThatThrownBy(() -> house.find("docs", AS_OPERATOR))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(others.id().text());
    }

    @Test
    void names_and_beginnings_find_a_run_and_what_is_ambiguous_or_unknown_is_said() {
        var named = named("nightly", PARENT);
        var other = start("true");
        assertThat(house.find("nightly", AS_PARENT).id()).isEqualTo(named.id());
        assertThat(house.find(other.id().text(), AS_PARENT).id()).isEqualTo(other.id());
        assertThatThrownBy(() -> house.find("r_", AS_PARENT))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(other.id().text());
        assertThatThrownBy(() -> house.find("r_zzz", AS_PARENT)).isInstanceOf(NoSuchRun.class);
        assertThatThrownBy(() -> house.find("", AS_PARENT)).isInstanceOf(NoSuchRun.class);
    }

    @Test
    void somebody_elses_run_answers_like_one_that_does_not_exist() {
        var run = awaitEnd(start("true"));
        var stranger = new Caller(new Owner("claude:stranger"), false);
        assertThatThrownBy(() -> house.find(run.id().text(), stranger)).isInstanceOf(NoSuchRun.class);
        assertThat(house.list(Query.of(Query.Which.ALL), stranger)).isEmpty();
        assertThat(house.inbox(Optional.of(PARENT), stranger)).isEmpty();
    }
}
