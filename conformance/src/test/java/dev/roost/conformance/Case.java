package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Permissions;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Cause;
import dev.roost.run.Phase;
import dev.roost.run.Status;
import java.time.Duration;
import java.util.Optional;

/** What every agent must get through, whatever its CLI does. */
enum Case {
    SUCCESS("success", true) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.end(stage.start("SCRIPT=all is well"));
            completed(stage, run, "all is well");
            assertThat(run.sessionId()).as("its conversation is known").isPresent();
            assertThat(stage.house().usage(run).tokens())
                    .as("what it used is known")
                    .isPositive();
            assertThat(stage.text(run)).contains("all is well").doesNotContain("{\"");
        }
    },
    KILLED_AND_RESUMED("lost, then resumed", true) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.start("SCRIPT=" + Stage.longTool("tool.pid") + "|all done");
            long tool = stage.awaitTool("tool.pid");
            await().atMost(Stage.SOON).until(() -> stage.show(run).sessionId().isPresent());
            stage.awaitResumable(run);
            var began = stage.show(run).latest().began().orElseThrow();
            Stage.kill(began.perch());
            Stage.kill(began.agent());
            var ended = stage.end(run);
            completed(stage, ended, "all done");
            assertThat(ended.latest().n()).isEqualTo(2);
            assertThat(Stage.lives(tool))
                    .as("no side effect runs on behind its back")
                    .isFalse();
            assertThat(stage.house().attempts(ended).getFirst().status()).isEqualTo(Status.ABANDONED);
            assertThat(stage.model.asked().getLast().body().toString())
                    .as("it is told that it was interrupted")
                    .contains("You were interrupted");
            assertThat(stage.house().inbox(Optional.empty(), Stage.PERSON))
                    .as("told once")
                    .hasSize(1);
        }
    },
    CONTINUED("continued by a message", true) {
        @Override
        void play(Stage stage) throws Exception {
            var first = stage.end(stage.start("SCRIPT=the first answer"));
            completed(stage, first, "the first answer");
            stage.awaitResumable(first);
            var sent = stage.house().send(first, "SCRIPT=the second answer", Stage.PERSON);
            assertThat(sent.status().ended()).isFalse();
            var second = stage.end(first);
            completed(stage, second, "the second answer");
            assertThat(second.latest().n()).isEqualTo(2);
            assertThat(second.sessionId()).isEqualTo(first.sessionId());
            assertThat(stage.model.asked().getLast().body().toString())
                    .as("in its own conversation")
                    .contains("the first answer");
            assertThat(stage.text(second)).contains("the first answer").contains("the second answer");
        }
    },
    EMPTY("empty answer", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.end(stage.start("SCRIPT=empty"));
            if (stage.subject() == Subject.GEMINI) {
                assertThat(run.latest().cause())
                        .as("it calls that an error itself")
                        .contains(Cause.AGENT_ERROR);
                return;
            }
            assertThat(run.status()).as(() -> stage.describe(run)).isEqualTo(Status.COMPLETED_EMPTY);
        }
    },
    TOOL("tool call, then answer", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.end(stage.start("SCRIPT=bash?cmd=echo%20h''ello%20>%20made|made it"));
            completed(stage, run, "made it");
            assertThat(stage.file("made")).content().isEqualTo("hello\n");
            assertThat(stage.text(run)).as("a tool is one line").containsPattern("→ .*echo h''ello");
        }
    },
    API_401("API error 401", false) {
        @Override
        void play(Stage stage) throws Exception {
            failed(stage, stage.end(stage.start("SCRIPT=status?code=401"), Stage.LATE), Cause.AGENT_ERROR);
        }
    },
    API_429("API error 429: parked", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.start("SCRIPT=status?code=429&reset=2");
            var parked = stage.awaitPhase(run, Phase.PARKED, Stage.LATE);
            assertThat(parked.status()).isEqualTo(Status.QUEUED);
            assertThat(parked.latest().parkedUntil()).isPresent();
            assertThat(stage.house().stop(parked, Stage.PERSON).status()).isEqualTo(Status.CANCELED_BY_USER);
        }
    },
    API_500("API error 500", false) {
        @Override
        void play(Stage stage) throws Exception {
            failed(stage, stage.end(stage.start("SCRIPT=status?code=500"), Stage.LATE), Cause.AGENT_ERROR);
        }
    },
    HANG("API hangs, time budget", false) {
        @Override
        void play(Stage stage) throws Exception {
            var budget = Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT).withMaxTime(Optional.of(Duration.ofSeconds(25)));
            var run = stage.start("SCRIPT=hang", budget);
            await().atMost(Stage.SOON).until(() -> !stage.model.asked().isEmpty());
            failed(stage, stage.end(run), Cause.BUDGET_TIME);
        }
    },
    CUT("stream cut", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.end(stage.start("SCRIPT=cut"), Stage.LATE);
            assertThat(run.status()).as(() -> stage.describe(run)).isEqualTo(Status.FAILED);
        }
    },
    STOPPED("stopped in the middle of a tool", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.start("SCRIPT=" + Stage.longTool("tool.pid") + "|never said");
            long tool = stage.awaitTool("tool.pid");
            var stopped = stage.house().stop(stage.show(run), Stage.PERSON);
            assertThat(stopped.status()).isEqualTo(Status.CANCELED_BY_USER);
            assertThat(Stage.lives(tool)).as("no orphan").isFalse();
        }
    },
    DAEMON_KILLED("daemon killed with -9", false) {
        @Override
        void play(Stage stage) throws Exception {
            var id = Caretaker.startAndDie(
                    stage, "SCRIPT=bash?cmd=sh%20-c%20'echo%20$$%20>%20tool.pid;sleep%203'|all done");
            var run = stage.end(stage.house().find(id, Stage.PERSON));
            completed(stage, run, "all done");
            assertThat(run.latest().n()).as("the agent noticed nothing").isEqualTo(1);
        }
    },
    OVER_BUDGET("token budget", false) {
        @Override
        void play(Stage stage) throws Exception {
            var budget = new Budget(
                    Optional.empty(), Optional.of(150L), Optional.empty(), Optional.empty(), Budget.DEFAULT_MAX_OUTPUT);
            var run = stage.end(stage.start(
                    "SCRIPT=bash?cmd=echo%20one|bash?cmd=echo%20two|" + Stage.longTool("tool.pid") + "|never said",
                    budget));
            failed(stage, run, Cause.BUDGET_TOKENS);
        }
    },
    ASKED("permission asked and given", false) {
        @Override
        void play(Stage stage) throws Exception {
            stage.with(Permissions.SAFE);
            var run = stage.start("SCRIPT=bash?cmd=touch%20allowed|made it");
            var asks = stage.awaitPhase(run, Phase.NEEDS_INPUT, Stage.SOON);
            assertThat(asks.latest().asked().orElseThrow().question().text()).contains("touch allowed");
            stage.house().send(asks, "allow", Stage.PERSON);
            completed(stage, stage.end(run), "made it");
            assertThat(stage.file("allowed")).exists();
        }
    },
    DENIED("permission denied", false) {
        @Override
        void play(Stage stage) throws Exception {
            stage.with(Permissions.SAFE);
            var run = stage.start("SCRIPT=bash?cmd=touch%20denied|I could not");
            stage.awaitPhase(run, Phase.NEEDS_INPUT, Stage.SOON);
            stage.house().send(stage.show(run), "deny not now", Stage.PERSON);
            failed(stage, stage.end(run), Cause.PERMISSION_DENIED);
            assertThat(stage.file("denied")).doesNotExist();
        }
    },
    STEERED("told something while it works", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.start("SCRIPT=bash?cmd=sh%20-c%20'echo%20$$%20>%20tool.pid;sleep%203'|the first answer");
            stage.awaitTool("tool.pid");
            stage.house().send(stage.show(run), "Mind the gap.", Stage.PERSON);
            var ended = stage.end(run);
            assertThat(ended.status()).as(() -> stage.describe(run)).isEqualTo(Status.COMPLETED);
            assertThat(ended.latest().n()).isEqualTo(1);
            assertThat(stage.model.asked().getLast().body().toString()).contains("Mind the gap.");
        }
    },
    STEERED_LATE("told something while it says its last", false) {
        @Override
        void play(Stage stage) throws Exception {
            var run = stage.start("SCRIPT=text?t=the%20first%20answer&ms=3000");
            await().atMost(Stage.SOON).until(() -> !stage.model.asked().isEmpty());
            stage.house().send(stage.show(run), "SCRIPT=text?t=the%20second%20answer&ms=4000", Stage.PERSON);
            await().atMost(Stage.SOON)
                    .until(() -> stage.text(run).contains("the second answer")
                            || stage.show(run).status().ended());
            completed(stage, stage.end(run), "the second answer");
            assertThat(stage.text(run)).contains("the first answer");
        }
    };

    private final String title;
    private final boolean quick;

    Case(String title, boolean quick) {
        this.title = title;
        this.quick = quick;
    }

    String title() {
        return title;
    }

    /** Part of every check, not only of the full one. */
    boolean quick(Subject subject) {
        return quick && (this == SUCCESS || subject != Subject.GEMINI_OVER_ACP); // which takes a minute for the others
    }

    abstract void play(Stage stage) throws Exception;

    /** Why this agent cannot be put through this case, if so. */
    Optional<String> impossible(Subject subject) {
        return switch (this) {
            case ASKED, DENIED ->
                switch (subject) {
                    case CODEX, OPENCODE, GEMINI -> Optional.of("cannot ask when it runs headless");
                    case OPENCODE_OVER_ACP -> Optional.of("asks only where its own configuration says so");
                    case CODEX_OVER_ACP -> Optional.of("asks only when its model wants out of the sandbox");
                    case CLAUDE, CLAUDE_OVER_ACP, GEMINI_OVER_ACP -> Optional.empty();
                };
            case STEERED, STEERED_LATE ->
                switch (subject) {
                    case CODEX, OPENCODE, GEMINI -> Optional.of("takes no input while it works");
                    default -> Optional.empty();
                };
            case OVER_BUDGET ->
                switch (subject) {
                    case CODEX, GEMINI, CLAUDE_OVER_ACP, CODEX_OVER_ACP, OPENCODE_OVER_ACP, GEMINI_OVER_ACP ->
                        Optional.of("says what it used only when its turn is over");
                    default -> Optional.empty();
                };
            default -> Optional.empty();
        };
    }

    static void completed(Stage stage, Run run, String result) throws Exception {
        assertThat(run.status()).as(() -> stage.describe(run)).isEqualTo(Status.COMPLETED);
        assertThat(stage.result(run).strip()).isEqualTo(result);
    }

    static void failed(Stage stage, Run run, Cause cause) {
        assertThat(run.status()).as(() -> stage.describe(run)).isEqualTo(Status.FAILED);
        assertThat(run.latest().cause()).as(() -> stage.describe(run)).contains(cause);
    }
}
