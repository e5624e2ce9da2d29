package dev.roost.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code roost adopt}. */
@CliFixture.OneDaemon
class AdoptCommandProcessTest extends CliFixture {

    private String ended(String owner, String name) {
        var id = roost("run", "--owner", owner, "--name", name, "--", "echo", "fruit")
                .ok()
                .out()
                .strip();
        roost("output", "--block", id).ok();
        return id;
    }

    private int pending(String owner) {
        return roost("inbox", "--owner", owner, "--json")
                .ok()
                .json()
                .path("notices")
                .size();
    }

    @Test
    void adopt_assigns_runs_and_their_notices_to_the_other_session() {
        var first = ended("claude:gone", "first");
        ended("claude:gone", "second");
        var adopted = roost("adopt", first, "second", "--to", "claude:here").ok();
        assertThat(adopted.out()).isEqualTo("first now belongs to claude:here.\nsecond now belongs to claude:here.\n");
        assertThat(pending("claude:gone")).isZero();
        assertThat(pending("claude:here")).isEqualTo(2);
        var again = roost("adopt", first, "--to", "claude:here", "--json").ok().json();
        assertThat(again.path("runs").get(0).path("owner").asString()).isEqualTo("claude:here");
        assertThat(roost("show", first).ok().out()).containsOnlyOnce("adopted");
    }

    @Test
    void adopt_assigns_all_runs_or_none() {
        var id = ended("claude:gone", "only");
        var missing = roost("adopt", id, "nope", "--to", "claude:here");
        assertThat(missing.exit()).isEqualTo(3);
        assertThat(missing.err()).contains("There is no run \"nope\"");
        assertThat(roost("adopt", id, "--to", "nobody").exit()).isEqualTo(2);
        assertThat(roost("adopt", id).exit()).isEqualTo(2);
        assertThat(pending("claude:gone")).isEqualTo(1);
    }

    @Test
    void only_a_person_may_adopt_runs() {
        var id = ended("claude:gone", "mine");
        var harness = coldWith("", Map.of("CLAUDECODE", "1"), "adopt", id, "--to", "claude:thief");
        assertThat(harness.exit()).isEqualTo(5);
        assertThat(harness.err()).contains("Only a person");
        var inside = roost(
                "run",
                "--wait",
                "--",
                "sh",
                "-c",
                "unset ROOST_RUN_ID ROOST_OWNER; exec "
                        + String.join(" ", command("adopt", id, "--to", "claude:thief")));
        assertThat(inside.exit()).as(inside.out()).isEqualTo(1);
        assertThat(pending("claude:gone")).isEqualTo(1);
    }
}
