package dev.roost.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Starts the planned runs, and records for each whether it was accepted, refused, or neither is known. */
final class RunStarter {

    private final ChaosHome home;
    private final RoostAccess access;
    private final PromiseChecker checker;
    private final ChaosTimeline chaosTimeline;

    /** The names of starts that Roost refused. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    RunStarter(ChaosHome home, RoostAccess access, PromiseChecker checker, ChaosTimeline chaosTimeline) {
        this.home = home;
        this.access = access;
        this.checker = checker;
        this.chaosTimeline = chaosTimeline;
    }

    Set<String> refused() {
        return refused;
    }

    void begin(PlannedRun task) {
        if (task.byCommand()) beginByCommand(task);
        else beginBySocket(task);
    }

    private List<String> words(PlannedRun task) {
        return List.of(
                "sh",
                home.agent().toString(),
                home.evidence(task.name()).toString(),
                task.job().word(),
                "%d.%d".formatted(task.tenths() / 10, task.tenths() % 10),
                Integer.toString(task.exit()));
    }

    private String directory(PlannedRun task) {
        return (task.worktree() ? home.repository() : home.base().resolve("user")).toString();
    }

    private void beginBySocket(PlannedRun task) {
        var params = Inspector.params().put("name", task.name()).put("cwd", directory(task));
        words(task).forEach(params.putArray("argv")::add);
        var environment = params.putObject("env").put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        if (task.worktree()) {
            params.put("worktree", true);
            environment.put("CHAOS_WORK", task.name());
        }
        var answer = access.callOnce(task.owner(), "start", params);
        if (answer.done()) accept(task, answer.body().path("run_id").asString());
        else if (answer.refused()) refuse(task, answer.code());
        else chaosTimeline.note("%s: unknown whether it was accepted (%s)".formatted(task.name(), answer.message()));
    }

    private void beginByCommand(PlannedRun task) {
        var words = new ArrayList<>(List.of("run", "--name", task.name(), "--cwd", directory(task), "--"));
        words.addAll(words(task));
        var ran = access.roost(task.owner(), words);
        if (ran.exit() == 0) accept(task, ran.out().strip());
        else if (ran.exit() == 4 || ran.exit() == -1)
            chaosTimeline.note("%s: unknown whether it was accepted (%s)"
                    .formatted(task.name(), ran.err().strip()));
        else refuse(task, ran.err().strip());
    }

    private void accept(PlannedRun task, String id) {
        chaosTimeline.note(
                "%s is %s, %s for %s".formatted(task.name(), id, task.job().word(), task.owner()));
        checker.accepted(id, chaosTimeline.now());
    }

    private void refuse(PlannedRun task, String why) {
        chaosTimeline.note("%s was refused: %s".formatted(task.name(), why));
        refused.add(task.name());
    }
}
