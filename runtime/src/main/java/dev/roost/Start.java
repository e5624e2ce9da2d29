package dev.roost;

import dev.roost.agents.Task;
import dev.roost.house.StartRequest;
import dev.roost.run.Budget;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What is asked for when a run is started: an agent and what it is to do, and what it may use. Each method answers a new one. */
public final class Start {

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

    private Start(String agent, Task task) {
        this.agent = agent;
        this.task = task;
    }

    private Start with(Consumer<Start> change) {
        var other = new Start(agent, task);
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
    public static Start of(String agent, String prompt) {
        return new Start(agent, new Task(List.of(), Optional.of(prompt)));
    }

    /** A command line. Its exit status 0 is success, and what it prints is its result. */
    public static Start command(String... words) {
        return new Start("command", new Task(List.of(words), Optional.empty()));
    }

    /** By which it can be asked for. */
    public Start named(String name) {
        return with(it -> it.name = Optional.of(name));
    }

    /** What lists and notices say of it; otherwise the beginning of what it is to do. */
    public Start describedAs(String description) {
        return with(it -> it.description = Optional.of(description));
    }

    /** Where it works; otherwise where this program does. */
    public Start in(Path directory) {
        return with(it -> it.directory = directory);
    }

    /** In a git worktree and branch of its own, whose content is kept whatever happens. */
    public Start inWorktree() {
        return with(it -> it.worktree = true);
    }

    /** Its environment; otherwise this program's. */
    public Start withEnvironment(Map<String, String> environment) {
        return with(it -> it.environment = Map.copyOf(environment));
    }

    /** How long it may be at work; what it waits or the machine sleeps does not count. */
    public Start withMaxTime(Duration time) {
        return with(it -> it.budget = budget.withMaxTime(Optional.of(time)));
    }

    public Start withMaxTokens(long tokens) {
        return with(it -> it.budget = new Budget(
                budget.maxTime(), Optional.of(tokens), budget.maxCostMicros(), budget.maxTurns(), budget.maxOutput()));
    }

    /** In US dollars. */
    public Start withMaxCost(BigDecimal dollars) {
        var micros = Optional.of(dollars.multiply(MILLION).longValue());
        return with(it -> it.budget =
                new Budget(budget.maxTime(), budget.maxTokens(), micros, budget.maxTurns(), budget.maxOutput()));
    }

    public Start withMaxTurns(int turns) {
        return with(it -> it.budget = new Budget(
                budget.maxTime(), budget.maxTokens(), budget.maxCostMicros(), Optional.of(turns), budget.maxOutput()));
    }

    /** If it is lost, it is abandoned and reported; otherwise it is resumed where its agent can. */
    public Start withoutResuming() {
        return with(it -> it.resumeOnLoss = Optional.of(false));
    }

    /** Starts it once: a second start with the same key, even after a crash of this program, answers the first one's run. */
    public Start once(String key) {
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
