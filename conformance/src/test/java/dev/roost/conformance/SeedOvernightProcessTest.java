package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Six agents work, their owner's session is killed, and the machine sleeps for the night. In the morning the model gets a correct
 * report about all six, once, before it does anything else.
 */
class SeedOvernightProcessTest {

    private static final String WAITS = "until [ -e go ]; do sleep 0.1; done; ";

    @Test
    void the_first_request_of_the_resumed_session_has_one_correct_report_about_all_six(@TempDir Path directory)
            throws Exception {
        try (var stage = new OwnerSessionFixture(directory)) {
            var session = OwnerSessionFixture.newSession();
            var child = "mcp:mcp__roost__agent?run_in_background=true&name=reviewer&description=reviews&prompt="
                    + OwnerSessionFixture.encoded(
                            "SCRIPT=bash?cmd=" + OwnerSessionFixture.encoded(WAITS + "echo seen") + "|it is fine");
            var parent = stage.begin(
                    session,
                    false,
                    "MARK-NIGHT SCRIPT=" + child + "|"
                            + named(stage, "quick", "until [ -e inside ]; do sleep 0.1; done; echo FRUIT") + "|"
                            + named(stage, "steady", WAITS + "echo done") + "|"
                            + named(stage, "broken", WAITS + "echo no; exit 3") + "|"
                            + named(stage, "lost", "sleep 1000") + "|" + named(stage, "long", "sleep 1000")
                            + "|bash?cmd=touch%20inside;sleep%2061|never");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> stage.runs().size() == 6
                            && stage.runs().stream()
                                    .allMatch(run -> run.latest().began().isPresent()));
            stage.awaitEnds(1); // the quick one ends while its owner is in a tool call, so it is not reported yet
            parent.destroyForcibly().waitFor();

            Files.createFile(stage.user.project().resolve("go"));
            stage.awaitEnds(4);
            var lost = stage.runs().stream()
                    .filter(run -> run.title().equals("lost"))
                    .findFirst()
                    .orElseThrow();
            stage.close(lost); // kills perch and agent at once
            stage.clock.sleepMachine(Duration.ofHours(16));
            stage.reopen();
            stage.awaitEnds(5);

            stage.turn(session, true, "MARK-MORNING SCRIPT=bash?cmd=true|good morning");
            var first = stage.askedAbout("MARK-MORNING").getFirst();
            var text = first.text();
            assertThat(first.count("<roost-notice id=")).as(text).isEqualTo(1);
            var states = stage.runs().stream().collect(Collectors.toMap(RunRecord::title, RunRecord::status));
            assertThat(states.get("quick")).isEqualTo(Status.COMPLETED);
            assertThat(text)
                    .contains("5 background runs ended")
                    .containsPattern("\"quick\" \\(r_\\w+\\) completed")
                    .containsPattern("\"steady\" \\(r_\\w+\\) completed")
                    .containsPattern("\"reviewer\" \\(r_\\w+\\) completed")
                    .containsPattern("\"broken\" \\(r_\\w+\\) failed: .*exit status 3")
                    .containsPattern("\"lost\" \\(r_\\w+\\) abandoned: its processes vanished")
                    .containsPattern("1 background run still at work: \"long\"");
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();

            stage.turn(session, true, "MARK-LATER SCRIPT=" + read("quick") + "|" + read("reviewer") + "|thanks");
            var later = stage.askedAbout("MARK-LATER");
            assertThat(later.getFirst().text().split("5 background runs ended", -1))
                    .as("once, in its history")
                    .hasSize(2);
            assertThat(later.getLast().modelRequest().toolResults().toString()).contains("FRUIT", "it is fine");
        }
    }

    private static String named(OwnerSessionFixture stage, String name, String script) {
        return stage.background(name, script) + "&name=" + name;
    }

    private static String read(String run) {
        return "mcp:mcp__roost__agent_output?run_id=" + run;
    }

    @Test
    void without_a_daemon_the_session_is_told_that_the_state_is_unknown(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory)) {
            stage.breakHome();
            stage.turn(OwnerSessionFixture.newSession(), false, "MARK-DARK SCRIPT=fine");
            var text = stage.askedAbout("MARK-DARK").getFirst().text();
            assertThat(text).contains("state of your background runs is unknown", "Do not assume that they finished");
        }
    }
}
