package dev.roost.chaos;

import dev.roost.chaos.promise.RunFact;
import java.util.ArrayList;
import java.util.List;

/** Starts the planned runs, and records for each whether it was accepted, refused, or neither is known. */
final class RunStarter {

    private final ChaosSession session;

    RunStarter(ChaosSession session) {
        this.session = session;
    }

    void begin(PlannedRun task) {
        if (task.byCommand()) beginByCommand(task);
        else beginBySocket(task);
    }

    private List<String> words(PlannedRun task) {
        return List.of(
                "sh",
                session.home.agent().toString(),
                session.home.evidence(task.name()).toString(),
                task.job().word(),
                "%d.%d".formatted(task.tenths() / 10, task.tenths() % 10),
                Integer.toString(task.exit()));
    }

    private String directory(PlannedRun task) {
        return (task.worktree()
                        ? session.home.repository()
                        : session.home.base().resolve("user"))
                .toString();
    }

    private void beginBySocket(PlannedRun task) {
        var params = ChaosSession.params().put("name", task.name()).put("cwd", directory(task));
        words(task).forEach(params.putArray("argv")::add);
        var environment = params.putObject("env").put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        if (task.worktree()) {
            params.put("worktree", true);
            environment.put("CHAOS_WORK", task.name());
        }
        var answer = session.access.callOnce(task.owner(), "start", params);
        if (answer.done()) accept(task, answer.body().path("run_id").asString());
        else if (answer.refused()) refuse(task, answer.code());
        else session.note("%s: unknown whether it was accepted (%s)".formatted(task.name(), answer.message()));
    }

    private void beginByCommand(PlannedRun task) {
        var words = new ArrayList<>(List.of("run", "--name", task.name(), "--cwd", directory(task), "--"));
        words.addAll(words(task));
        var ran = session.access.roost(task.owner(), words);
        if (ran.exit() == 0) accept(task, ran.out().strip());
        else if (ran.exit() == 4 || ran.exit() == -1)
            session.note("%s: unknown whether it was accepted (%s)"
                    .formatted(task.name(), ran.err().strip()));
        else refuse(task, ran.err().strip());
    }

    private void accept(PlannedRun task, String id) {
        session.note("%s is %s, %s for %s".formatted(task.name(), id, task.job().word(), task.owner()));
        session.see(new RunFact.Accepted(id));
    }

    private void refuse(PlannedRun task, String why) {
        session.note("%s was refused: %s".formatted(task.name(), why));
        session.refused.add(task.name());
    }
}
