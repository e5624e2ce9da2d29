package dev.roost.daemon.config;

import dev.roost.config.PausePolicy;
import dev.roost.config.WorktreePolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** {@code [worktree]}, {@code checkpoint_*} and {@code [pause]}: set-up of worktrees, checkpoints, and pauses. */
final class WorktreeSettings {

    static final String TABLE = "worktree";

    static final String PAUSE = "pause";

    private WorktreeSettings() {}

    /** The set-up of a fresh worktree; empty if the file has none. */
    static Optional<WorktreePolicy.SetupPolicy> setupPolicy(SettingsTable file) {
        if (!file.has(TABLE)) return Optional.empty();
        var table = file.table(TABLE).only(SettingCatalog.known(TABLE));
        return Optional.of(
                new WorktreePolicy.SetupPolicy(table.text("setup"), paths(table, "copy"), paths(table, "link")));
    }

    /** Paths inside the checkout; all others are refused. */
    private static List<String> paths(SettingsTable table, String name) {
        var paths = table.texts(name);
        for (var text : paths) {
            var path = Path.of(text).normalize();
            boolean inside =
                    !text.isBlank() && !path.isAbsolute() && !path.startsWith("..") && !path.startsWith(".git");
            if (!inside || path.toString().isEmpty())
                throw table.wrong(name, "a list of paths inside the repository, relative to its top");
        }
        return List.copyOf(new TreeSet<>(paths));
    }

    static WorktreePolicy of(SettingsTable file) {
        var defaults = WorktreePolicy.DEFAULT;
        if (file.flag("checkpoint_ignored").orElse(false)
                && file.text("checkpoint_remote").isPresent())
            throw file.wrong("checkpoint_ignored", "possible with checkpoint_remote: what git ignores is never pushed");
        return new WorktreePolicy(
                setupPolicy(file).orElse(defaults.setupPolicy()),
                file.duration("checkpoint_every").orElse(defaults.checkpointEvery()),
                file.text("checkpoint_remote"),
                file.size("checkpoint_max_file").orElse(defaults.largestFile()),
                file.flag("checkpoint_ignored").orElse(defaults.ignoredToo()));
    }

    static PausePolicy pauses(SettingsTable file) {
        var table = file.table(PAUSE).only(SettingCatalog.known(PAUSE));
        return new PausePolicy(
                command(table, "on_pause"),
                command(table, "on_resume"),
                table.duration("deadline").orElse(PausePolicy.NONE.deadline()));
    }

    private static List<String> command(SettingsTable table, String name) {
        var command = table.texts(name);
        if (table.has(name) && (command.isEmpty() || command.getFirst().isBlank()))
            throw table.wrong(name, "a list of a program and its arguments");
        return List.copyOf(command);
    }
}
