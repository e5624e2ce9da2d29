package dev.roost.daemon.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The changes that an owner gets about removed runs. */
class RunChangesProcessTest extends DaemonFixture {

    private JsonNode changes(String after) throws IOException {
        return call("changes", params().put("after", after).put("timeout_ms", "5s"));
    }

    @Test
    void a_watcher_refreshes_when_a_run_of_its_owner_was_removed() throws IOException {
        var run = sh("echo done");
        awaitEnd(run);
        var position = call("changes", params()).path("position").asString();
        call("prune", operator().put("older_than", "0s").put("unread", true));
        var news = changes(position);
        while (news.path("runs").size() > 0)
            news = changes(news.path("position").asString());
        assertThat(news.path("again").asBoolean(false)).isTrue();
        assertThat(news.has("removed")).isFalse();
        assertThat(call("list", params().put("filter", "all")).path("runs").size())
                .isZero();
    }
}
