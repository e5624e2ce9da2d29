package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Budget;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** A Roost and a small repository; its runs get worktrees. */
abstract class WithRepository extends ScriptedAgents {

    Path repo;
    WorkPolicy policy = WorkPolicy.DEFAULT;

    @Override
    Config config() {
        return super.config().with(policy);
    }

    @BeforeEach
    void makeRepository() throws IOException {
        repo = scratch.resolve("repo");
        Files.createDirectories(repo.resolve("sub"));
        git(repo, "init", "-q", "-b", "main");
        Files.writeString(repo.resolve("a.txt"), "one\n");
        Files.writeString(repo.resolve("sub/b.txt"), "two\n");
        Files.writeString(repo.resolve(".gitignore"), "*.secret\n");
        git(repo, "add", "-A");
        git(repo, "commit", "-q", "-m", "first");
    }

    static String tryGit(Path at, String... words) {
        var said = Trees.tryGit(at, words);
        return said.ok() ? said.text().strip() : "failed: " + said.text();
    }

    static String git(Path at, String... words) {
        var said = tryGit(at, words);
        assertThat(said).doesNotStartWith("failed: ");
        return said;
    }

    StartRequest inWorktree(Path cwd, String agent, Task task) {
        return inWorktree(PARENT, cwd, agent, task);
    }

    StartRequest inWorktree(Owner owner, Path cwd, String agent, Task task) {
        return new StartRequest(
                owner,
                agent,
                task,
                Optional.empty(),
                Optional.empty(),
                cwd,
                Map.of(
                        "PATH",
                        System.getenv("PATH"),
                        "SCRATCH",
                        scratch.toString(),
                        "HOME",
                        scratch.toString(),
                        "GIT_AUTHOR_NAME",
                        "t",
                        "GIT_AUTHOR_EMAIL",
                        "t@example.org",
                        "GIT_COMMITTER_NAME",
                        "t",
                        "GIT_COMMITTER_EMAIL",
                        "t@example.org"),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN,
                new StartRequest.Terms(Notify.DONE, Optional.empty(), List.of(), true));
    }

    Run script(Path cwd, String script) {
        return house.start(inWorktree(cwd, "command", new Task(List.of("sh", "-ec", script), Optional.empty())));
    }

    Run script(String script) {
        return script(repo, script);
    }

    Run scripted(String script) {
        agents(script);
        return house.start(inWorktree(repo, "scripted", new Task(List.of(), Optional.of("do it"))));
    }

    Work work(Run run) {
        return show(run).work().orElseThrow();
    }

    /** The run once its code was looked at after its end. */
    Run awaitLooked(Run run) {
        var ended = awaitEnd(run);
        await().atMost(SOON).until(() -> work(run).looked() >= ended.latest().n());
        return show(run);
    }

    String landing(Run run) {
        return work(run).landing().orElseThrow().stage();
    }

    void awaitKept(Run run, String file, String content) {
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> tryGit(
                                repo, "show", work(run).rescue().orElseThrow().ref() + ":" + file)
                        .equals(content));
    }
}
