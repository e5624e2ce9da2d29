package dev.roost.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Refusal;
import dev.roost.config.EngineConfig;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The caps on live runs per owner and per machine, and on the depth of runs that start runs. */
class CapsProcessTest extends RealProcessFixture {

    @Override
    public EngineConfig config() {
        return new EngineConfig(new Caps(2, 3, Caps.Overflow.QUEUE), 1, Budget.DEFAULT_MAX_OUTPUT);
    }

    private List<RunRecord> running() {
        return service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), AS_OPERATOR).stream()
                .filter(run -> run.status() == Status.RUNNING)
                .toList();
    }

    private RunRecord startFor(Owner owner, String script, StartRequest.Origin origin) {
        var request = request("sh", "-c", script);
        return service.start(new StartRequest(
                owner,
                "command",
                request.task(),
                Optional.empty(),
                Optional.empty(),
                scratch,
                request.environment(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                origin));
    }

    @Test
    void a_run_over_the_cap_waits_for_a_slot_and_starts_when_another_run_ends() {
        var first = sh("sleep 1000");
        var second = sh("sleep 1000");
        awaitBegun(first);
        awaitBegun(second);
        var third = sh("echo at last");
        service.sweep();
        assertThat(show(third).status()).isEqualTo(Status.QUEUED);
        assertThat(show(third).latest().phase()).contains(Phase.WAITING_FOR_SLOT);

        service.stop(show(first), AS_PARENT);

        assertThat(result(awaitEnd(third))).isEqualTo("at last\n");
        assertThat(show(second).status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void a_queued_run_keeps_its_place_and_its_environment_across_a_restart() {
        var first = sh("sleep 1000");
        var second = sh("sleep 1000");
        awaitBegun(first);
        awaitBegun(second);
        var third = sh("echo \"$SCRATCH\"");
        restart();
        assertThat(show(third).status()).isEqualTo(Status.QUEUED);
        service.stop(show(second), AS_PARENT);
        assertThat(result(awaitEnd(third))).isEqualTo(scratch + "\n");
    }

    @Test
    void the_caps_on_live_runs_hold_and_every_run_gets_its_turn() {
        var other = new Owner("claude:other");
        var runs = new ArrayList<RunRecord>();
        for (int i = 0; i < 8; i++) {
            var owner = i < 6 ? PARENT : other;
            runs.add(startFor(
                    owner,
                    "ls \"$SCRATCH\" | grep -c live- >> \"$SCRATCH/seen\"; touch \"$SCRATCH/live-$$\"; sleep 0.3; rm \"$SCRATCH/live-$$\"",
                    StartRequest.Origin.UNKNOWN));
        }
        await().atMost(SOON).until(() -> {
            assertThat(running()).hasSizeLessThanOrEqualTo(3);
            assertThat(running().stream().filter(run -> run.owner().equals(PARENT)))
                    .hasSizeLessThanOrEqualTo(2);
            return runs.stream().allMatch(run -> show(run).status().ended());
        });
        assertThat(scratch.resolve("seen")).content().doesNotContain("3", "4", "5", "6", "7");
    }

    @Test
    void a_run_identified_by_its_run_id_variable_may_not_start_runs() {
        var session = sh("sleep 1000");
        awaitBegun(session);
        var origin = new StartRequest.Origin(Optional.of(session.id().text()), Optional.empty());
        assertThatThrownBy(() -> startFor(PARENT, "true", origin))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(session.id().text());
        assertThat(service.list(RunQuery.of(RunQuery.StatusFilter.ALL), AS_OPERATOR))
                .hasSize(1);
    }

    @Test
    void a_run_identified_by_its_process_ancestry_may_not_start_runs() throws Exception {
        var session = sh("env -i /bin/sh -c 'echo $$ > \"$0\"; exec /bin/sleep 1000' \"$SCRATCH/pid\"");
        awaitBegun(session);
        var file = awaitFile("pid");
        await().atMost(SOON).until(() -> Files.readString(file).endsWith("\n"));
        long pid = Long.parseLong(Files.readString(file).strip());
        var inside = new StartRequest.Origin(Optional.empty(), Optional.of(pid));
        assertThatThrownBy(() -> startFor(PARENT, "true", inside)).isInstanceOf(Refusal.class);
        var outside = new StartRequest.Origin(
                Optional.empty(), Optional.of(ProcessHandle.current().pid()));
        assertThat(awaitEnd(startFor(new Owner("cli:me"), "true", outside)).status())
                .isEqualTo(Status.COMPLETED_EMPTY);
    }
}
