package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.Cause;
import dev.roost.model.Status;
import dev.roost.service.RealProcessFixture;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each kind of process death gets the right status and cause, and no process is left. */
@Tag("portable")
class LostRunProcessTest extends RealProcessFixture {

    @Test
    void an_agent_killed_alone_fails_with_the_signal_that_its_perch_saw() {
        var run = sh("echo working; sleep 1000");
        kill(agent(run));

        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.FAILED);
        assertThat(ended.latest().cause()).contains(Cause.SIGNAL);
        assertThat(ended.latest().evidence().orElseThrow().exit().orElseThrow().signal())
                .isEqualTo(9);
        assertGone(perch(run), agent(run));
    }

    @Test
    void a_perch_killed_alone_takes_its_agent_with_it_and_the_run_is_lost() {
        var run = sh("echo working; sleep 1000");
        var agent = agent(run);
        kill(perch(run));

        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.ABANDONED);
        assertThat(ended.latest().cause()).contains(Cause.PERCH_LOST);
        assertThat(result(run)).as("the output is kept").isEqualTo("working\n");
        assertGone(agent);
    }

    @Test
    void a_perch_resumed_after_sigstop_still_records_the_end() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        exec("kill", "-STOP", Long.toString(perch(run).pid()));
        touch("go");

        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
        assertThat(result(run)).isEqualTo("done\n");
    }

    @Test
    void the_sweep_detects_a_stopped_perch_whose_agent_ended_without_output() throws Exception {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done");
        exec("kill", "-STOP", Long.toString(perch(run).pid()));
        touch("go");

        assertThat(awaitEnd(run).status()).as("only the sweep can detect it").isEqualTo(Status.COMPLETED_EMPTY);
    }

    @Test
    void perch_and_agent_killed_together_are_lost_not_completed() {
        var run = sh("echo working; sleep 1000");
        var agent = agent(run);
        kill(perch(run));
        kill(agent);

        assertThat(awaitEnd(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(service.notices(run)).hasSize(1);
    }

    @Test
    void a_restarted_daemon_records_deaths_during_its_absence_before_it_serves() {
        var run = sh("sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        service.close();
        kill(perch);
        kill(agent);

        service = open();

        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(show(run).latest().evidence().orElseThrow().agent()).contains(agent);
    }

    @Test
    void a_reused_pid_does_not_count_as_the_live_perch() throws IOException {
        var run = sh("sleep 1000");
        var perch = perch(run);
        var agent = agent(run);
        service.close();
        kill(perch);
        kill(agent);
        // simulates a reused pid: the record names this test process, which has another start time
        var start = home.run(run.id()).attempt(1).path().resolve("start");
        long self = ProcessHandle.current().pid();
        Files.writeString(
                start, Files.readString(start).replace("\"perch_pid\":" + perch.pid(), "\"perch_pid\":" + self));

        service = open();

        assertThat(show(run).status()).isEqualTo(Status.ABANDONED);
        assertThat(ProcessHandle.current().isAlive()).isTrue();
    }

    @Test
    void leftover_processes_of_a_normal_end_are_killed_and_listed() {
        var run = awaitEnd(sh("sleep 1234 & echo started; exit 0"));
        assertThat(run.status()).isEqualTo(Status.COMPLETED);
        assertThat(run.latest().evidence().orElseThrow().leftovers())
                .singleElement()
                .asString()
                .contains("sleep 1234");
    }

    @Test
    void an_ordinary_end_lists_no_leftovers() {
        for (int i = 0; i < 20; i++) {
            assertThat(awaitEnd(start("echo", "hi"))
                            .latest()
                            .evidence()
                            .orElseThrow()
                            .leftovers())
                    .isEmpty();
        }
    }

    @Test
    void the_sweep_makes_up_for_a_missed_event() {
        var run = sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo swept");
        awaitBegun(run);
        service.sweep();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        touch("go");
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
    }
}
