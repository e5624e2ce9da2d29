package dev.roost.worktrees.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.config.EngineConfig;
import dev.roost.config.WorktreePolicy;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.testing.AgentScriptFixture;
import dev.roost.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** Opens Roost with a small repository, in which runs get worktrees. */
public abstract class WorktreeRunFixture extends AgentScriptFixture {

    public Path repo;
    public String path = System.getenv("PATH");
    public WorktreePolicy policy = WorktreePolicy.DEFAULT;

    @Override
    public EngineConfig config() {
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

    public static String tryGit(Path at, String... words) {
        var result = FileTrees.tryGit(at, words);
        return result.ok() ? result.text().strip() : "failed: " + result.text();
    }

    public static String git(Path at, String... words) {
        var output = tryGit(at, words);
        assertThat(output).doesNotStartWith("failed: ");
        return output;
    }

    public StartRequest inWorktree(Path cwd, String agent, Task task) {
        return inWorktree(PARENT, cwd, agent, task);
    }

    public StartRequest inWorktree(Owner owner, Path cwd, String agent, Task task) {
        return new StartRequest(
                owner,
                agent,
                task,
                Optional.empty(),
                Optional.empty(),
                cwd,
                Map.of(
                        "PATH",
                        path,
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

    public RunRecord script(Path cwd, String script) {
        return service.start(inWorktree(cwd, "command", new Task(List.of("sh", "-ec", script), Optional.empty())));
    }

    public RunRecord script(String script) {
        return script(repo, script);
    }

    public RunRecord scripted(String script) {
        agents(script);
        return service.start(inWorktree(repo, "scripted", new Task(List.of(), Optional.of("do it"))));
    }

    public WorktreeRecord work(RunRecord run) {
        return show(run).work().orElseThrow();
    }

    /** Waits until the run has ended and its worktree is inspected. */
    public RunRecord awaitInspected(RunRecord run) {
        var ended = awaitEnd(run);
        await().atMost(SOON)
                .until(() -> work(run).inspectedAttempt() >= ended.latest().n());
        return show(run);
    }

    public String landing(RunRecord run) {
        return work(run).landing().orElseThrow().stage();
    }

    public void awaitCheckpointed(RunRecord run, String file, String content) {
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> tryGit(
                                repo, "show", work(run).rescue().orElseThrow().ref() + ":" + file)
                        .equals(content));
    }
}
