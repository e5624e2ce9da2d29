package dev.roost;

import dev.roost.agents.Task;
import dev.roost.engine.StartRequest;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A request to start a run: the agent, its task and its limits. Each method returns a new object. */
public final class RunRequest {

    private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);

    private final String agent;
    private final Task task;
    private Optional<String> name = Optional.empty();
    private Optional<String> description = Optional.empty();
    private Path directory = Path.of("");
    private Map<String, String> environment = System.getenv();
    private Budget budget = Budget.ofOutput(Long.MAX_VALUE);
    private Optional<Boolean> resumeOnLoss = Optional.empty();
    private boolean worktree;
    private Optional<String> key = Optional.empty();

    private RunRequest(String agent, Task task) {
        this.agent = agent;
        this.task = task;
    }

    private RunRequest with(Consumer<RunRequest> change) {
        var other = new RunRequest(agent, task);
        other.name = name;
        other.description = description;
        other.directory = directory;
        other.environment = environment;
        other.budget = budget;
        other.resumeOnLoss = resumeOnLoss;
        other.worktree = worktree;
        other.key = key;
        change.accept(other);
        return other;
    }

    /** An agent by its name: one from {@link Settings}, or claude, codex, opencode, gemini. */
    public static RunRequest of(String agent, String prompt) {
        return new RunRequest(agent, new Task(List.of(), Optional.of(prompt)));
    }

    /** A command line. Exit status 0 is success, and the command's output is the result. */
    public static RunRequest command(String... words) {
        return new RunRequest("command", new Task(List.of(words), Optional.empty()));
    }

    /** A name by which the run can be found. */
    public RunRequest named(String name) {
        return with(it -> it.name = Optional.of(name));
    }

    /** The description in lists and notices. Default: the beginning of the task. */
    public RunRequest describedAs(String description) {
        return with(it -> it.description = Optional.of(description));
    }

    /** The working directory. Default: the working directory of this program. */
    public RunRequest in(Path directory) {
        return with(it -> it.directory = directory);
    }

    /** Runs in a new git worktree with a new branch. Checkpoints keep the worktree's content, also when the run is lost. */
    public RunRequest inWorktree() {
        return with(it -> it.worktree = true);
    }

    /** The environment. Default: the environment of this program. */
    public RunRequest withEnvironment(Map<String, String> environment) {
        return with(it -> it.environment = Map.copyOf(environment));
    }

    /** The maximal working time. Time in which the run waits for input or the machine sleeps does not count. */
    public RunRequest withMaxTime(Duration time) {
        return with(it -> it.budget = budget.withMaxTime(Optional.of(time)));
    }

    public RunRequest withMaxTokens(long tokens) {
        return with(it -> it.budget = new Budget(
                budget.maxTime(), Optional.of(tokens), budget.maxCostMicros(), budget.maxTurns(), budget.maxOutput()));
    }

    /** In US dollars. */
    public RunRequest withMaxCost(BigDecimal dollars) {
        var micros = Optional.of(dollars.multiply(MILLION).longValue());
        return with(it -> it.budget =
                new Budget(budget.maxTime(), budget.maxTokens(), micros, budget.maxTurns(), budget.maxOutput()));
    }

    public RunRequest withMaxTurns(int turns) {
        return with(it -> it.budget = new Budget(
                budget.maxTime(), budget.maxTokens(), budget.maxCostMicros(), Optional.of(turns), budget.maxOutput()));
    }

    /** A lost run is abandoned and reported. Default: it is resumed if its agent can resume. */
    public RunRequest withoutResuming() {
        return with(it -> it.resumeOnLoss = Optional.of(false));
    }

    /** An idempotency key: a second start with the same key, even after a crash of this program, returns the first run. */
    public RunRequest once(String key) {
        return with(it -> it.key = Optional.of(key));
    }

    StartRequest request(Owner owner) {
        return new StartRequest(
                owner,
                agent,
                task,
                name,
                description,
                directory.toAbsolutePath().normalize(),
                environment,
                "022",
                budget,
                resumeOnLoss,
                new StartRequest.Origin(
                        Optional.ofNullable(System.getenv("ROOST_RUN_ID")),
                        Optional.of(ProcessHandle.current().pid())),
                new StartRequest.Terms(
                        Notify.DONE, key.map(one -> "library:" + owner.id() + ":" + one), List.of(), worktree));
    }
}
