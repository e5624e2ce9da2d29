package dev.roost.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import org.junit.jupiter.api.Test;

/** All parts of an answer about a run are of one moment, even while it ends. */
class RunSnapshotProcessTest extends DaemonFixture {

    @Test
    void a_run_has_the_notice_of_its_end_exactly_if_it_is_shown_as_ended() throws Exception {
        for (int i = 0; i < 60; i++) {
            var run = call("start", task("true")).path("run_id").asString();
            boolean ended = false;
            while (!ended) {
                var shown = show(run);
                ended = shown.has("ended_at");
                assertThat(shown.path("notices").size())
                        .as(shown::toPrettyString)
                        .isEqualTo(ended ? 1 : 0);
                assertThat(shown.path("timeline").findValuesAsString("kind").contains("ended"))
                        .as(shown::toPrettyString)
                        .isEqualTo(ended);
            }
        }
    }
}
