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

/** What is asked for when a run is started: an agent and what it is to do, and what it may use. Each method answers a new one. */
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

    /** An agent by its name: one that {@link Settings} have, or claude, codex, opencode, gemini. */
    public static RunRequest of(String agent, String prompt) {
        return new RunRequest(agent, new Task(List.of(), Optional.of(prompt)));
    }

    /** A command line. Its exit status 0 is success, and what it prints is its result. */
    public static RunRequest command(String... words) {
        return new RunRequest("command", new Task(List.of(words), Optional.empty()));
    }

    /** By which it can be asked for. */
    public RunRequest named(String name) {
        return with(it -> it.name = Optional.of(name));
    }

    /** What lists and notices say of it; otherwise the beginning of what it is to do. */
    public RunRequest describedAs(String description) {
        return with(it -> it.description = Optional.of(description));
    }

    /** Where it works; otherwise where this program does. */
    public RunRequest in(Path directory) {
        return with(it -> it.directory = directory);
    }

    /** In a git worktree and branch of its own, whose content is kept whatever happens. */
    public RunRequest inWorktree() {
        return with(it -> it.worktree = true);
    }

    /** Its environment; otherwise this program's. */
    public RunRequest withEnvironment(Map<String, String> environment) {
        return with(it -> it.environment = Map.copyOf(environment));
    }

    /** How long it may be at work; what it waits or the machine sleeps does not count. */
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

    /** If it is lost, it is abandoned and reported; otherwise it is resumed where its agent can. */
    public RunRequest withoutResuming() {
        return with(it -> it.resumeOnLoss = Optional.of(false));
    }

    /** Starts it once: a second start with the same key, even after a crash of this program, answers the first one's run. */
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
