package dev.roost.rescue;

import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds Codex threads that stop in the middle of a turn, and agents whose parent never received their answer. */
final class CodexThreads {

    private static final int YEAR_MONTH_DAY_FILE = 4;

    private final Path sessions;
    private final ScanWindow window;

    CodexThreads(ToolDirectories toolDirectories, ScanWindow window) {
        this.sessions = toolDirectories.codex().resolve("sessions");
        this.window = window;
    }

    List<LostAgent> search() throws IOException {
        var threads = new LinkedHashMap<String, CodexRollout>();
        for (var file : files()) {
            var rollout = CodexRollout.read(file);
            rollout.id().ifPresent(id -> threads.put(id, rollout));
        }
        var found = new ArrayList<LostAgent>();
        threads.forEach((id, rollout) -> judge(id, rollout, threads).ifPresent(found::add));
        return found;
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(sessions)) return List.of();
        try (var files = Files.walk(sessions, YEAR_MONTH_DAY_FILE)) {
            return files.filter(file -> file.getFileName().toString().matches("rollout-.*\\.jsonl"))
                    .filter(window::covers)
                    .sorted()
                    .toList();
        }
    }

    private Optional<LostAgent> judge(String id, CodexRollout rollout, Map<String, CodexRollout> threads) {
        var session = rollout.parent().map(threads::get);
        boolean interrupted = rollout.turn() == CodexRollout.Turn.OPEN;
        boolean undelivered = rollout.turn() == CodexRollout.Turn.COMPLETE
                && session.isPresent()
                && session.get().writesToItsAgents()
                && rollout.path().filter(path -> !session.get().heardFrom(path)).isPresent();
        if ((!interrupted && !undelivered)
                || rollout.began().isEmpty()
                || rollout.last().isEmpty()) return Optional.empty();
        var agent = new LostAgent(
                Tool.CODEX,
                rollout.parent().isPresent() ? Kind.AGENT : Kind.SESSION,
                id,
                rollout.parent().orElse(id),
                Optional.of(id),
                TextFormat.printable(rollout.path()
                        .map(path -> path.substring(path.lastIndexOf('/') + 1))
                        .orElseGet(() -> rollout.task().strip())),
                rollout.cwd(),
                rollout.began().get(),
                rollout.last().get(),
                interrupted ? State.CUT : State.FINISHED,
                rollout.text(),
                interrupted ? rollout.doing() : Optional.empty(),
                interrupted
                        ? "its rollout stops in the middle of a turn"
                        : "it finished, and its parent was never told",
                rollout.file());
        return Optional.of(window.liveProcesses()
                .findHolder(rollout.file(), window.now())
                .map(pid -> agent.atWork("process %d has its rollout open".formatted(pid)))
                .orElseGet(() -> window.unlessRecent(agent)));
    }
}
