package dev.roost.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import dev.roost.base.NoSuchRun;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run is found by name, id and id prefix, only by its owner and the operator. */
@Tag("portable")
class RunFinderProcessTest extends RealProcessFixture {

    private RunRecord named(String name, Owner owner) {
        return service.start(new StartRequest(
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
    void a_run_name_that_is_also_the_prefix_of_many_ids_finds_the_named_run() {
        var named = named("r", PARENT);
        for (int i = 0; i < 25; i++) start("true");
        assertThat(service.find("r", AS_PARENT).id()).isEqualTo(named.id());
    }

    @Test
    void a_name_of_several_owners_finds_the_callers_own_run_and_is_otherwise_ambiguous() {
        var own = named("build", AS_OPERATOR.owner());
        var sessions = named("build", PARENT);
        named("docs", PARENT);
        var others = named("docs", new Owner("claude:other"));
        assertThat(service.find("build", AS_OPERATOR).id()).isEqualTo(own.id());
        assertThat(service.find("build", AS_PARENT).id()).isEqualTo(sessions.id());
        assertThatThrownBy(() -> service.find("docs", AS_OPERATOR))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(others.id().text());
    }

    @Test
    void a_name_or_id_prefix_finds_a_run_and_ambiguous_or_unknown_text_is_refused() {
        var named = named("nightly", PARENT);
        var other = start("true");
        assertThat(service.find("nightly", AS_PARENT).id()).isEqualTo(named.id());
        assertThat(service.find(other.id().text(), AS_PARENT).id()).isEqualTo(other.id());
        assertThatThrownBy(() -> service.find("r_", AS_PARENT))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(other.id().text());
        assertThatThrownBy(() -> service.find("r_zzz", AS_PARENT)).isInstanceOf(NoSuchRun.class);
        assertThatThrownBy(() -> service.find("", AS_PARENT)).isInstanceOf(NoSuchRun.class);
    }

    @Test
    void a_run_of_another_owner_looks_like_a_run_that_does_not_exist() {
        var run = awaitEnd(start("true"));
        var otherCaller = new Caller(new Owner("claude:stranger"), false);
        assertThatThrownBy(() -> service.find(run.id().text(), otherCaller)).isInstanceOf(NoSuchRun.class);
        assertThat(service.list(RunQuery.of(RunQuery.StatusFilter.ALL), otherCaller))
                .isEmpty();
        assertThat(service.inbox(Optional.of(PARENT), otherCaller)).isEmpty();
    }
}
