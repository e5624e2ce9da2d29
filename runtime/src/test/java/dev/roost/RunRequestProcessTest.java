package dev.roost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.model.Owner;
import dev.roost.model.Status;
import dev.roost.testing.LibraryFixture;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Every option of a run request takes effect. */
class RunRequestProcessTest extends LibraryFixture {

    @Override
    public Settings settings() {
        var spy = Agent.of("claude").command("sh", "-c", "printf '%s\\n' \"$@\" > heard", "spy");
        return super.settings().withMaxLive(1, 1).withAgent("spy", spy.withModel("opus"));
    }

    @Test
    void runs_above_the_cap_wait_in_the_queue() {
        var first = roost().start(RunRequest.command("sleep", "60").in(scratch));
        var second = roost().start(RunRequest.command("echo", "at last").in(scratch));
        await().atMost(SOON).until(() -> roost().run(first.id()).status() == Status.RUNNING);
        assertThat(roost().run(second.id()).status()).isEqualTo(Status.QUEUED);
        roost().stop(first.id());
        assertThat(awaitEnd(second).status()).isEqualTo(Status.COMPLETED);
    }

    @Test
    void an_agent_gets_its_model() throws IOException {
        awaitEnd(roost().start(RunRequest.of("spy", "look around").in(scratch)));
        assertThat(lines("heard")).containsSequence("--model", "opus");
    }

    @Test
    void a_run_shows_its_description() {
        var run = roost().start(RunRequest.command("true")
                .in(scratch)
                .describedAs("nothing")
                .named("idle"));
        assertThat(roost().run("idle").description()).isEqualTo("nothing");
        awaitEnd(run);
    }

    @Test
    void all_caps_are_part_of_the_request() {
        var request = RunRequest.of("spy", "look around")
                .withMaxTime(Duration.ofMinutes(5))
                .withMaxTokens(70_000)
                .withMaxCost(new BigDecimal("1.25"))
                .withMaxTurns(9)
                .withoutResuming()
                .request(new Owner("app:test"));
        assertThat(request.budget().maxTime()).contains(Duration.ofMinutes(5));
        assertThat(request.budget().maxTokens()).contains(70_000L);
        assertThat(request.budget().maxCostMicros()).contains(1_250_000L);
        assertThat(request.budget().maxTurns()).contains(9);
        assertThat(request.resumeOnLoss()).contains(false);
    }
}
