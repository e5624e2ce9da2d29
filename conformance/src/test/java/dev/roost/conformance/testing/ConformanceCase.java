package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Permissions;
import dev.roost.conformance.agents.ConformanceAgent;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import java.time.Duration;
import java.util.Optional;

/** A case that every agent must pass, with any CLI. */
public enum ConformanceCase {
    SUCCESS("success", true) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.end(singleAgentFixture.start("SCRIPT=all is well"));
            completed(singleAgentFixture, run, "all is well");
            assertThat(run.sessionId()).as("its conversation is known").isPresent();
            assertThat(singleAgentFixture.service().usage(run).tokens())
                    .as("what it used is known")
                    .isPositive();
            assertThat(singleAgentFixture.text(run)).contains("all is well").doesNotContain("{\"");
        }
    },
    KILLED_AND_RESUMED("lost, then resumed", true) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.start("SCRIPT=" + SingleAgentFixture.longTool("tool.pid") + "|all done");
            long tool = singleAgentFixture.awaitTool("tool.pid");
            await().atMost(SingleAgentFixture.SOON)
                    .until(() -> singleAgentFixture.show(run).sessionId().isPresent());
            singleAgentFixture.awaitResumable(run);
            var startedProcesses = singleAgentFixture.show(run).latest().began().orElseThrow();
            SingleAgentFixture.kill(startedProcesses.perch());
            SingleAgentFixture.kill(startedProcesses.agent());
            var ended = singleAgentFixture.end(run);
            completed(singleAgentFixture, ended, "all done");
            assertThat(ended.latest().n()).isEqualTo(2);
            assertThat(SingleAgentFixture.lives(tool))
                    .as("no side effect continues unnoticed")
                    .isFalse();
            assertThat(singleAgentFixture.service().attempts(ended).getFirst().status())
                    .isEqualTo(Status.ABANDONED);
            assertThat(singleAgentFixture.model.asked().getLast().body().toString())
                    .as("it is told about the interruption")
                    .contains("You were interrupted");
            assertThat(singleAgentFixture.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .as("told once")
                    .hasSize(1);
        }
    },
    CONTINUED("continued by a message", true) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var first = singleAgentFixture.end(singleAgentFixture.start("SCRIPT=the first answer"));
            completed(singleAgentFixture, first, "the first answer");
            singleAgentFixture.awaitResumable(first);
            var sent = singleAgentFixture.service().send(first, "SCRIPT=the second answer", SingleAgentFixture.PERSON);
            assertThat(sent.status().ended()).isFalse();
            var second = singleAgentFixture.end(first);
            completed(singleAgentFixture, second, "the second answer");
            assertThat(second.latest().n()).isEqualTo(2);
            assertThat(second.sessionId()).isEqualTo(first.sessionId());
            assertThat(singleAgentFixture.model.asked().getLast().body().toString())
                    .as("in its own conversation")
                    .contains("the first answer");
            assertThat(singleAgentFixture.text(second))
                    .contains("the first answer")
                    .contains("the second answer");
        }
    },
    EMPTY("empty answer", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.end(singleAgentFixture.start("SCRIPT=empty"));
            if (singleAgentFixture.subject() == ConformanceAgent.GEMINI) {
                assertThat(run.latest().cause())
                        .as("the CLI itself reports an error")
                        .contains(Cause.AGENT_ERROR);
                return;
            }
            assertThat(run.status()).as(() -> singleAgentFixture.describe(run)).isEqualTo(Status.COMPLETED_EMPTY);
        }
    },
    TOOL("tool call, then answer", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.end(
                    singleAgentFixture.start("SCRIPT=bash?cmd=echo%20h''ello%20>%20made|made it"));
            completed(singleAgentFixture, run, "made it");
            assertThat(singleAgentFixture.file("made")).content().isEqualTo("hello\n");
            assertThat(singleAgentFixture.text(run))
                    .as("a tool call is one line")
                    .containsPattern("→ .*echo h''ello");
        }
    },
    API_401("API error 401", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            failed(
                    singleAgentFixture,
                    singleAgentFixture.end(singleAgentFixture.start("SCRIPT=status?code=401"), SingleAgentFixture.LATE),
                    Cause.AGENT_ERROR);
        }
    },
    API_429("API error 429: parked", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.start("SCRIPT=status?code=429&reset=2");
            var parked = singleAgentFixture.awaitPhase(run, Phase.PARKED, SingleAgentFixture.LATE);
            assertThat(parked.status()).isEqualTo(Status.QUEUED);
            assertThat(parked.latest().parkedUntil()).isPresent();
            assertThat(singleAgentFixture
                            .service()
                            .stop(parked, SingleAgentFixture.PERSON)
                            .status())
                    .isEqualTo(Status.CANCELED_BY_USER);
        }
    },
    API_500("API error 500", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            failed(
                    singleAgentFixture,
                    singleAgentFixture.end(singleAgentFixture.start("SCRIPT=status?code=500"), SingleAgentFixture.LATE),
                    Cause.AGENT_ERROR);
        }
    },
    HANG("API hangs, time budget", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var budget = Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT).withMaxTime(Optional.of(Duration.ofSeconds(25)));
            var run = singleAgentFixture.start("SCRIPT=hang", budget);
            await().atMost(SingleAgentFixture.SOON)
                    .until(() -> !singleAgentFixture.model.asked().isEmpty());
            failed(singleAgentFixture, singleAgentFixture.end(run), Cause.BUDGET_TIME);
        }
    },
    CUT("stream cut", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.end(singleAgentFixture.start("SCRIPT=cut"), SingleAgentFixture.LATE);
            assertThat(run.status()).as(() -> singleAgentFixture.describe(run)).isEqualTo(Status.FAILED);
        }
    },
    STOPPED("stopped in the middle of a tool", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.start("SCRIPT=" + SingleAgentFixture.longTool("tool.pid") + "|never said");
            long tool = singleAgentFixture.awaitTool("tool.pid");
            var stopped = singleAgentFixture.service().stop(singleAgentFixture.show(run), SingleAgentFixture.PERSON);
            assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
            assertThat(SingleAgentFixture.lives(tool)).as("no orphan").isFalse();
        }
    },
    DAEMON_KILLED("daemon killed with -9", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var id = RoostProcess.startAndDie(
                    singleAgentFixture, "SCRIPT=bash?cmd=sh%20-c%20'echo%20$$%20>%20tool.pid;sleep%203'|all done");
            var run = singleAgentFixture.end(singleAgentFixture.service().find(id, SingleAgentFixture.PERSON));
            completed(singleAgentFixture, run, "all done");
            assertThat(run.latest().n()).as("the same attempt").isEqualTo(1);
        }
    },
    OVER_BUDGET("token budget", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var budget = new Budget(
                    Optional.empty(), Optional.of(150L), Optional.empty(), Optional.empty(), Budget.DEFAULT_MAX_OUTPUT);
            var run = singleAgentFixture.end(singleAgentFixture.start(
                    "SCRIPT=bash?cmd=echo%20one|bash?cmd=echo%20two|" + SingleAgentFixture.longTool("tool.pid")
                            + "|never said",
                    budget));
            failed(singleAgentFixture, run, Cause.BUDGET_TOKENS);
        }
    },
    ASKED("permission asked and given", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            singleAgentFixture.with(Permissions.SAFE);
            var run = singleAgentFixture.start("SCRIPT=bash?cmd=touch%20allowed|made it");
            var asks = singleAgentFixture.awaitPhase(run, Phase.NEEDS_INPUT, SingleAgentFixture.SOON);
            assertThat(asks.latest().asked().orElseThrow().question().text()).contains("touch allowed");
            singleAgentFixture.service().send(asks, "allow", SingleAgentFixture.PERSON);
            completed(singleAgentFixture, singleAgentFixture.end(run), "made it");
            assertThat(singleAgentFixture.file("allowed")).exists();
        }
    },
    DENIED("permission denied", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            singleAgentFixture.with(Permissions.SAFE);
            var run = singleAgentFixture.start("SCRIPT=bash?cmd=touch%20denied|I could not");
            singleAgentFixture.awaitPhase(run, Phase.NEEDS_INPUT, SingleAgentFixture.SOON);
            singleAgentFixture.service().send(singleAgentFixture.show(run), "deny not now", SingleAgentFixture.PERSON);
            failed(singleAgentFixture, singleAgentFixture.end(run), Cause.PERMISSION_DENIED);
            assertThat(singleAgentFixture.file("denied")).doesNotExist();
        }
    },
    STEERED("message while it works", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.start(
                    "SCRIPT=bash?cmd=sh%20-c%20'echo%20$$%20>%20tool.pid;sleep%203'|the first answer");
            singleAgentFixture.awaitTool("tool.pid");
            singleAgentFixture.service().send(singleAgentFixture.show(run), "Mind the gap.", SingleAgentFixture.PERSON);
            var ended = singleAgentFixture.end(run);
            assertThat(ended.status())
                    .as(() -> singleAgentFixture.describe(run))
                    .isEqualTo(Status.COMPLETED);
            assertThat(ended.latest().n()).isEqualTo(1);
            assertThat(singleAgentFixture.model.asked().getLast().body().toString())
                    .contains("Mind the gap.");
        }
    },
    STEERED_LATE("message during its final answer", false) {
        @Override
        public void play(SingleAgentFixture singleAgentFixture) throws Exception {
            var run = singleAgentFixture.start("SCRIPT=text?t=the%20first%20answer&ms=3000");
            await().atMost(SingleAgentFixture.SOON)
                    .until(() -> !singleAgentFixture.model.asked().isEmpty());
            singleAgentFixture
                    .service()
                    .send(
                            singleAgentFixture.show(run),
                            "SCRIPT=text?t=the%20second%20answer&ms=4000",
                            SingleAgentFixture.PERSON);
            await().atMost(SingleAgentFixture.SOON)
                    .until(() -> singleAgentFixture.text(run).contains("the second answer")
                            || singleAgentFixture.show(run).status().ended());
            completed(singleAgentFixture, singleAgentFixture.end(run), "the second answer");
            assertThat(singleAgentFixture.text(run)).contains("the first answer");
        }
    };

    private final String title;
    private final boolean quick;

    ConformanceCase(String title, boolean quick) {
        this.title = title;
        this.quick = quick;
    }

    public String title() {
        return title;
    }

    /** Whether it is part of every check. */
    public boolean quick(ConformanceAgent conformanceAgent) {
        return quick
                && (this == SUCCESS
                        || conformanceAgent != ConformanceAgent.GEMINI_OVER_ACP); // whose other cases take a minute
    }

    public abstract void play(SingleAgentFixture singleAgentFixture) throws Exception;

    /** Why this agent cannot run this case; empty if it can. */
    public Optional<String> impossible(ConformanceAgent conformanceAgent) {
        return switch (this) {
            case ASKED, DENIED ->
                switch (conformanceAgent) {
                    case CODEX, OPENCODE, GEMINI -> Optional.of("cannot ask when it runs headless");
                    case OPENCODE_OVER_ACP -> Optional.of("asks only if its own configuration requires it");
                    case CODEX_OVER_ACP -> Optional.of("asks only when its model wants to leave the sandbox");
                    case CLAUDE, CLAUDE_OVER_ACP, GEMINI_OVER_ACP -> Optional.empty();
                };
            case STEERED, STEERED_LATE ->
                switch (conformanceAgent) {
                    case CODEX, OPENCODE, GEMINI -> Optional.of("takes no input while it works");
                    default -> Optional.empty();
                };
            case OVER_BUDGET ->
                switch (conformanceAgent) {
                    case CODEX, GEMINI, CLAUDE_OVER_ACP, CODEX_OVER_ACP, OPENCODE_OVER_ACP, GEMINI_OVER_ACP ->
                        Optional.of("reports its usage only at the end of a turn");
                    default -> Optional.empty();
                };
            default -> Optional.empty();
        };
    }

    static void completed(SingleAgentFixture singleAgentFixture, RunRecord run, String result) throws Exception {
        assertThat(run.status()).as(() -> singleAgentFixture.describe(run)).isEqualTo(Status.COMPLETED);
        assertThat(singleAgentFixture.result(run).strip()).isEqualTo(result);
    }

    static void failed(SingleAgentFixture singleAgentFixture, RunRecord run, Cause cause) {
        assertThat(run.status()).as(() -> singleAgentFixture.describe(run)).isEqualTo(Status.FAILED);
        assertThat(run.latest().cause())
                .as(() -> singleAgentFixture.describe(run))
                .contains(cause);
    }
}
