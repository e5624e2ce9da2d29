package dev.roost.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Refusal;
import dev.roost.config.DailyBudget;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.sessions.NoticeDigest;
import dev.roost.testing.AgentScriptFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate limits, quiet time and caps, which pause or stop a live agent. */
class AgentLimitProcessTest extends AgentScriptFixture {

    private static final String LIMITED_ONCE = """
            init; say 'before the limit'
            if [ -e "$SCRATCH/second" ]; then result 'after the limit'; exit; fi
            touch "$SCRATCH/second"
            limited UNTIL
            exit 1
            """;

    @Test
    void a_rate_limited_run_is_parked_until_the_limit_ends_and_then_resumes() throws IOException {
        var until = time.now().plusSeconds(3600);
        var run = agent(LIMITED_ONCE.replace("UNTIL", Long.toString(until.getEpochSecond())));
        var parked = awaitPhase(run, Phase.PARKED);
        assertThat(parked.status()).isEqualTo(Status.QUEUED);
        assertThat(parked.latest().parkedUntil().orElseThrow().getEpochSecond()).isEqualTo(until.getEpochSecond());
        time.pass(Duration.ofMinutes(59));
        restart();
        service.sweep();
        assertThat(show(run).latest().phase()).contains(Phase.PARKED);
        time.pass(Duration.ofMinutes(2));
        service.sweep();
        var ended = awaitEnd(run);
        assertThat(ended.status()).isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(2);
        assertThat(result(run)).isEqualTo("after the limit");
        assertThat(home.run(run.id()).attempt(2).spec().argv()).containsSubsequence("--resume", "conversation-1");
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR))
                .as("one notice, at the end")
                .singleElement()
                .satisfies(notice -> assertThat(NoticeDigest.line(notice))
                        .contains("it had to wait, because the model's provider limited its rate")
                        .doesNotContain("loss"));
    }

    @Test
    void a_rate_limit_without_a_time_waits_longer_each_time_and_a_stopped_parked_run_keeps_its_output()
            throws IOException {
        var run = agent("init; say 'before the limit'; limited '\"?\"' | tail -1; exit 1");
        var first = awaitPhase(run, Phase.PARKED).latest().parkedUntil().orElseThrow();
        assertThat(Duration.between(time.now(), first)).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(61));
        time.pass(Duration.ofMinutes(2));
        service.sweep();
        await().atMost(SOON).until(() -> show(run).latest().n() == 3);
        var second = awaitPhase(run, Phase.PARKED).latest().parkedUntil().orElseThrow();
        assertThat(Duration.between(time.now(), second)).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(121));
        assertThat(service.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
        assertThat(text(run)).contains("before the limit", "parked until", "canceled_by_user");
    }

    /** Passes time until the run is quiet; repeated, as its last output may be recorded after the first step. */
    private void awaitQuiet(RunRecord run) {
        await().atMost(SOON).until(() -> {
            time.pass(Duration.ofMinutes(11));
            service.sweep();
            return show(run).latest().phase().equals(Optional.of(Phase.QUIET));
        });
    }

    @Test
    void an_idle_run_without_output_is_quiet_until_its_next_output() throws IOException {
        quietAfter = Duration.ofMinutes(10);
        var run = agent("init; say hello; until_there go; say again; until_there end; result done");
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        awaitQuiet(run);
        restart();
        assertThat(show(run).latest().phase()).contains(Phase.QUIET);
        touch("go");
        awaitPhase(run, Phase.WORKING);
        touch("end");
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void a_run_with_a_running_tool_or_computing_children_is_not_quiet() throws IOException {
        var tool = agent("init; tool t1 'make'; until_there end; result done");
        await().atMost(SOON).until(() -> text(tool).contains("make"));
        time.pass(Duration.ofMinutes(11));
        service.sweep();
        assertThat(show(tool).latest().phase()).contains(Phase.WORKING);
        touch("end");
        awaitEnd(tool);

        quietAfter = Duration.ofSeconds(2);
        var computes = agent("init; say hello; (while :; do :; done) & until_there end2; kill $!; result done");
        await().atMost(SOON).until(() -> text(computes).contains("hello"));
        await().pollDelay(Duration.ofSeconds(5)).atMost(SOON).until(() -> true);
        assertThat(show(computes).latest().phase()).contains(Phase.WORKING);
        touch("end2");
        awaitEnd(computes);
    }

    /** Each child ends before the monitor samples it twice, whether it is a child of the agent or of the build. */
    @ParameterizedTest
    @ValueSource(strings = {"until_there_build", "until_there_build & wait"})
    void a_silent_build_of_thousands_of_short_compiles_is_not_quiet(String build) throws IOException {
        quietAfter = Duration.ofMinutes(1);
        var run = agent("""
                until_there_build() {
                    while [ ! -e "$SCRATCH/end" ]; do
                        sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'; echo . >> "$SCRATCH/built"
                    done
                }
                init; say hello; BUILD; result done
                """.replace("BUILD", build));
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        for (int samples = 0; samples < 11; samples++) {
            long before = built();
            await().atMost(SOON).until(() -> built() >= before + 10);
            time.pass(quietAfter.dividedBy(10));
            service.sweep();
        }
        await().pollDelay(Duration.ofMillis(200)).atMost(SOON).until(() -> true);
        assertThat(show(run).latest().phase()).contains(Phase.WORKING);
        touch("end");
        assertThat(awaitEnd(run).status()).isEqualTo(Status.COMPLETED);
    }

    private long built() throws IOException {
        var file = scratch.resolve("built");
        return Files.exists(file) ? Files.size(file) : 0;
    }

    @Test
    void a_run_that_is_quiet_for_too_long_is_stopped_if_the_configuration_says_so() throws IOException {
        maxQuiet = Optional.of(Duration.ofHours(1));
        var run = agent("init; say hello; sleep 1000");
        await().atMost(SOON).until(() -> text(run).contains("hello"));
        awaitQuiet(run);
        time.pass(Duration.ofMinutes(61));
        service.sweep();
        assertThat(awaitEnd(run).latest().cause()).contains(Cause.BUDGET_QUIET);
    }

    @Test
    void the_output_cap_covers_all_attempts_of_a_turn() throws IOException {
        var run = agent(
                "init; say hello; head -c 60000 /dev/zero >&2; say written; sleep 1000", Budget.ofOutput(100_000));
        await().atMost(SOON).until(() -> text(run).contains("written"));
        kill(perch(run));

        var ended = awaitEnd(run);

        assertThat(ended.latest().n()).isEqualTo(2);
        assertThat(ended.latest().cause()).contains(Cause.BUDGET_OUTPUT);
    }

    private static final String TALKS = "init; for i in 1 2 3 4 5 6 7 8 9; do say $i; sleep 0.3; done; sleep 1000";

    @Test
    void token_turn_and_cost_caps_stop_a_live_run_and_its_output_is_kept() throws IOException {
        var tokens = awaitEnd(agent(TALKS, budget(Optional.of(300L), Optional.empty(), Optional.empty())));
        assertThat(tokens.latest().cause()).contains(Cause.BUDGET_TOKENS);
        assertThat(text(tokens)).contains("1\n\n2\n\n3\n");
        var turns = awaitEnd(agent(TALKS, budget(Optional.empty(), Optional.empty(), Optional.of(2))));
        assertThat(turns.latest().cause()).contains(Cause.BUDGET_TURNS);
        // the agent reports no cost before its turn ends, so the price table applies: 0.002 a message
        var dollars = awaitEnd(agent(TALKS, budget(Optional.empty(), Optional.of(5000L), Optional.empty())));
        assertThat(dollars.latest().cause()).contains(Cause.BUDGET_COST);
        long messages =
                text(dollars).lines().filter(line -> line.matches("[1-9]")).count();
        assertThat(messages)
                .as("the messages until the cost exceeded 0.005, and those during the stop")
                .isGreaterThanOrEqualTo(3);
        assertThat(dollars.latest().usage().costMicros()).contains(2000L * messages);
    }

    @Test
    void an_owner_over_its_daily_budget_is_stopped_and_cannot_start_runs_until_the_next_day() {
        day = new DailyBudget(Optional.of(250L), Optional.empty());
        var run = agent(TALKS);
        assertThat(awaitEnd(run).latest().cause()).contains(Cause.BUDGET_DAY);
        assertThatThrownBy(() -> agent(TALKS)).isInstanceOf(Refusal.class).hasMessageContaining("today");
        time.pass(Duration.ofDays(1));
        var tomorrow = agent("init; sleep 1000");
        assertThat(service.stop(tomorrow, AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
    }
}
