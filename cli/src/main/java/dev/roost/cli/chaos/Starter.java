package dev.roost.cli.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Starts the runs of the plan, and remembers what was said to each: accepted, refused, or nobody knows. */
final class Starter {

    private final Scene scene;
    private final Door door;
    private final Judge judge;
    private final Timeline timeline;

    /** Nothing was done, says Roost. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    Starter(Scene scene, Door door, Judge judge, Timeline timeline) {
        this.scene = scene;
        this.door = door;
        this.judge = judge;
        this.timeline = timeline;
    }

    Set<String> refused() {
        return refused;
    }

    void begin(Task task) {
        if (task.byCommand()) beginByCommand(task);
        else beginBySocket(task);
    }

    private List<String> words(Task task) {
        return List.of(
                "sh",
                scene.agent().toString(),
                scene.evidence(task.name()).toString(),
                task.job().word(),
                "%d.%d".formatted(task.tenths() / 10, task.tenths() % 10),
                Integer.toString(task.exit()));
    }

    private String directory(Task task) {
        return (task.worktree() ? scene.repository() : scene.base().resolve("user")).toString();
    }

    private void beginBySocket(Task task) {
        var params = Inspector.params().put("name", task.name()).put("cwd", directory(task));
        words(task).forEach(params.putArray("argv")::add);
        var environment = params.putObject("env").put("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        if (task.worktree()) {
            params.put("worktree", true);
            environment.put("CHAOS_WORK", task.name());
        }
        var answer = door.tell(task.owner(), "start", params);
        if (answer.done()) accept(task, answer.body().path("run_id").asString());
        else if (answer.refused()) refuse(task, answer.code());
        else timeline.note("%s: nobody knows whether it was accepted (%s)".formatted(task.name(), answer.message()));
    }

    private void beginByCommand(Task task) {
        var words = new ArrayList<>(List.of("run", "--name", task.name(), "--cwd", directory(task), "--"));
        words.addAll(words(task));
        var ran = door.roost(task.owner(), words);
        if (ran.exit() == 0) accept(task, ran.out().strip());
        else if (ran.exit() == 4 || ran.exit() == -1)
            timeline.note("%s: nobody knows whether it was accepted (%s)"
                    .formatted(task.name(), ran.err().strip()));
        else refuse(task, ran.err().strip());
    }

    private void accept(Task task, String id) {
        timeline.note(
                "%s is %s, %s for %s".formatted(task.name(), id, task.job().word(), task.owner()));
        judge.accepted(id, timeline.now());
    }

    private void refuse(Task task, String why) {
        timeline.note("%s was refused: %s".formatted(task.name(), why));
        refused.add(task.name());
    }
}
