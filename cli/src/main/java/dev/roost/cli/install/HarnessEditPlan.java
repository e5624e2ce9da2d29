package dev.roost.cli.install;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TextDiff;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The changes to a harness's files, computed before the first of them is made. */
record HarnessEditPlan(List<FileChange> changes) {

    /** Empty: the file does not exist. */
    record FileChange(TextFile file, Optional<String> before, Optional<String> after, boolean losesNothing) {
        String path() {
            return file.path().toString();
        }

        String kind() {
            if (before.isEmpty()) return "create";
            return after.isEmpty() ? "remove" : "edit";
        }

        List<String> hunks() {
            return TextDiff.hunks(before.orElse(""), after.orElse(""));
        }

        String unified() {
            return String.join("\n", TextDiff.unified(path(), before.orElse(""), after.orElse(""))) + "\n";
        }
    }

    private interface EditPlanner {
        Optional<FileChange> plan(HarnessFileEdit edit, TextFile file, Optional<String> before) throws IOException;
    }

    static HarnessEditPlan install(Harness harness) {
        return plan(harness, (edit, file, before) -> {
            if (before.map(edit::isComplete).orElse(false)) return Optional.empty();
            return Optional.of(new FileChange(file, before, Optional.of(edit.addTo(before.orElse(""))), false));
        });
    }

    static HarnessEditPlan uninstall(Harness harness) {
        return plan(harness, (edit, file, before) -> {
            if (before.isEmpty() || !edit.isPresentIn(before.get())) return Optional.empty();
            var originals = file.backups().stream()
                    .filter(text -> isTrue(() -> !edit.isPresentIn(text)))
                    .toList();
            var after = without(edit, before.get(), originals);
            return Optional.of(new FileChange(file, before, after, edit.isComplete(before.get()) && after.isEmpty()));
        });
    }

    /** Restores the backup, byte for byte, if only Roost has changed the file since. */
    private static Optional<String> without(HarnessFileEdit edit, String now, List<String> originals) {
        for (var original : originals) if (isTrue(() -> edit.addTo(original).equals(now))) return Optional.of(original);
        var left = edit.removeFrom(now, originals.stream().findFirst());
        boolean removable = originals.isEmpty() && edit.isNothing(left);
        return removable ? Optional.empty() : Optional.of(left);
    }

    /** False for a text that cannot be edited. */
    private static boolean isTrue(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (NotEditable e) {
            return false;
        }
    }

    private static HarnessEditPlan plan(Harness harness, EditPlanner step) {
        var changes = new ArrayList<FileChange>();
        for (var edit : harness.edits()) {
            var file = new TextFile(edit.file());
            try {
                step.plan(edit, file, file.read()).ifPresent(changes::add);
            } catch (NotEditable e) {
                throw refused(edit, e);
            } catch (IOException e) {
                throw failed(edit.file().toString(), e);
            }
        }
        return new HarnessEditPlan(List.copyOf(changes));
    }

    private static CliError refused(HarnessFileEdit edit, NotEditable e) {
        String hint = e.isCommented()
                ? "Edit it yourself, then repeat the command. Roost's entries:\n\n"
                        + edit.addTo("").stripTrailing()
                : "Correct the file, then try again.";
        return CliErrorCode.NOT_EDITABLE.error("%s %s. Nothing was changed.".formatted(edit.file(), e.why()), hint);
    }

    private static CliError failed(String path, IOException e) {
        return CliErrorCode.FILE_FAILED.error("%s cannot be changed: %s.".formatted(path, CliError.why(e)));
    }

    /** Makes all of the changes, or none; returns the backups by the files' paths. */
    Map<String, String> apply(Instant now) {
        var backups = new LinkedHashMap<String, String>();
        var done = new ArrayDeque<FileChange>();
        for (var change : changes) {
            try {
                if (!change.file.read().equals(change.before))
                    throw new IOException("another program changed it meanwhile");
                if (change.before.isPresent() && !change.losesNothing)
                    backups.put(change.path(), change.file.backUp(now).toString());
                put(change.file, change.after);
                done.push(change);
            } catch (IOException e) {
                done.forEach(HarnessEditPlan::undo);
                throw failed(change.path(), e);
            }
        }
        return backups;
    }

    private static void put(TextFile file, Optional<String> text) throws IOException {
        if (text.isPresent()) file.write(text.get());
        else if (file.path().resolveSibling("").endsWith("roost"))
            file.removeWithDirectory(); // the directory is Roost's
        else file.remove();
    }

    private static void undo(FileChange change) {
        try {
            put(change.file, change.before);
        } catch (IOException e) {
            System.err.println("roost: %s could not be restored; its backup is beside it.".formatted(change.path()));
        }
    }
}
