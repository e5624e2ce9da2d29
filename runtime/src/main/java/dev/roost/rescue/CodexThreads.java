package dev.roost.rescue;

import dev.roost.rescue.Lost.Kind;
import dev.roost.rescue.Lost.State;
import dev.roost.rescue.Lost.Tool;
import dev.roost.run.Words;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Codex's threads that stop in the middle of a turn, and its agents whose parent never got their answer. */
final class CodexThreads {

    private static final int YEAR_MONTH_DAY_FILE = 4;

    private final Path sessions;
    private final Sight sight;

    CodexThreads(Places places, Sight sight) {
        this.sessions = places.codex().resolve("sessions");
        this.sight = sight;
    }

    List<Lost> search() throws IOException {
        var threads = new LinkedHashMap<String, CodexRollout>();
        for (var file : files()) {
            var rollout = CodexRollout.read(file);
            rollout.id().ifPresent(id -> threads.put(id, rollout));
        }
        var found = new ArrayList<Lost>();
        threads.forEach((id, rollout) -> judge(id, rollout, threads).ifPresent(found::add));
        return found;
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(sessions)) return List.of();
        try (var files = Files.walk(sessions, YEAR_MONTH_DAY_FILE)) {
            return files.filter(file -> file.getFileName().toString().matches("rollout-.*\\.jsonl"))
                    .filter(sight::covers)
                    .sorted()
                    .toList();
        }
    }

    private Optional<Lost> judge(String id, CodexRollout rollout, Map<String, CodexRollout> threads) {
        var parent = rollout.parent().map(threads::get);
        boolean cut = rollout.turn() == CodexRollout.Turn.OPEN;
        boolean unheard = rollout.turn() == CodexRollout.Turn.COMPLETE
                && parent.isPresent()
                && parent.get().writesToItsAgents()
                && rollout.path().filter(path -> !parent.get().heardFrom(path)).isPresent();
        if ((!cut && !unheard) || rollout.began().isEmpty() || rollout.last().isEmpty()) return Optional.empty();
        var lost = new Lost(
                Tool.CODEX,
                rollout.parent().isPresent() ? Kind.AGENT : Kind.SESSION,
                id,
                rollout.parent().orElse(id),
                Optional.of(id),
                Words.printable(rollout.path()
                        .map(path -> path.substring(path.lastIndexOf('/') + 1))
                        .orElseGet(() -> rollout.task().strip())),
                rollout.cwd(),
                rollout.began().get(),
                rollout.last().get(),
                cut ? State.CUT : State.FINISHED,
                rollout.text(),
                cut ? rollout.doing() : Optional.empty(),
                cut ? "its rollout stops in the middle of a turn" : "it finished, and its parent was never told",
                rollout.file());
        return Optional.of(sight.alive()
                .holds(rollout.file(), sight.now())
                .map(pid -> lost.atWork("process %d has its rollout open".formatted(pid)))
                .orElseGet(() -> sight.unlessJustNow(lost)));
    }
}
