package dev.roost.cli;

import dev.roost.cli.edit.Diff;
import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The changes to a harness's files, known in full before the first of them is made. */
record Rewiring(List<Change> changes) {

    /** Empty: there is no such file. */
    record Change(TextFile file, Optional<String> before, Optional<String> after, boolean losesNothing) {
        String path() {
            return file.path().toString();
        }

        String kind() {
            if (before.isEmpty()) return "create";
            return after.isEmpty() ? "remove" : "edit";
        }

        List<Diff.Line> diff() {
            return Diff.of(before.orElse(""), after.orElse(""));
        }

        String unified() {
            return Diff.unified(path(), before.orElse(""), after.orElse(""));
        }
    }

    private interface Step {
        Optional<Change> plan(Wire wire, TextFile file, Optional<String> before) throws IOException;
    }

    static Rewiring install(Harness harness) {
        return plan(harness, (wire, file, before) -> {
            if (before.map(wire::isWhole).orElse(false)) return Optional.empty();
            return Optional.of(new Change(file, before, Optional.of(wire.into(before.orElse(""))), false));
        });
    }

    static Rewiring uninstall(Harness harness) {
        return plan(harness, (wire, file, before) -> {
            if (before.isEmpty() || !wire.isOursIn(before.get())) return Optional.empty();
            var originals =
                    file.backups().stream().filter(text -> isFreeOf(wire, text)).toList();
            var after = without(wire, before.get(), originals);
            return Optional.of(new Change(file, before, after, wire.isWhole(before.get()) && after.isEmpty()));
        });
    }

    private static boolean isFreeOf(Wire wire, String text) {
        try {
            return !wire.isOursIn(text);
        } catch (NotEditable e) {
            return false;
        }
    }

    /** Where only Roost has changed it since, it becomes again what it was, to the byte. */
    private static Optional<String> without(Wire wire, String now, List<String> originals) {
        for (var original : originals) if (remakes(wire, original, now)) return Optional.of(original);
        var left = wire.outOf(now, originals.stream().findFirst());
        boolean gone = originals.isEmpty() && wire.isNothing(left);
        return gone ? Optional.empty() : Optional.of(left);
    }

    private static boolean remakes(Wire wire, String original, String now) {
        try {
            return wire.into(original).equals(now);
        } catch (NotEditable e) {
            return false;
        }
    }

    private static Rewiring plan(Harness harness, Step step) {
        var changes = new ArrayList<Change>();
        for (var wire : harness.wires()) {
            var file = new TextFile(wire.file());
            try {
                step.plan(wire, file, file.read()).ifPresent(changes::add);
            } catch (NotEditable e) {
                throw refused(wire, e);
            } catch (IOException e) {
                throw failed(wire.file().toString(), e);
            }
        }
        return new Rewiring(List.copyOf(changes));
    }

    private static CliError refused(Wire wire, NotEditable e) {
        String hint = e.isCommented()
                ? "Change it yourself, then say this again. What Roost has in it:\n\n"
                        + wire.into("").stripTrailing()
                : "Put that right, then try again.";
        return new CliError(
                CliError.REFUSED, "not_editable", "%s %s. Nothing was changed.".formatted(wire.file(), e.why()), hint);
    }

    private static CliError failed(String path, IOException e) {
        return new CliError(
                CliError.FAILED,
                "file_failed",
                "%s cannot be changed: %s.".formatted(path, CliError.why(e)),
                "Check the directory and its permissions.");
    }

    /** Makes all of the changes, or none; gives the backups by the files' paths. */
    Map<String, String> apply(Instant now) {
        var kept = new LinkedHashMap<String, String>();
        var done = new ArrayDeque<Change>();
        for (var change : changes) {
            try {
                if (!change.file.read().equals(change.before))
                    throw new IOException("somebody else has just changed it");
                if (change.before.isPresent() && !change.losesNothing)
                    kept.put(change.path(), change.file.backUp(now).toString());
                put(change.file, change.after);
                done.push(change);
            } catch (IOException e) {
                done.forEach(Rewiring::putBack);
                throw failed(change.path(), e);
            }
        }
        return kept;
    }

    private static void put(TextFile file, Optional<String> text) throws IOException {
        if (text.isPresent()) file.write(text.get());
        else if (file.path().resolveSibling("").endsWith("roost"))
            file.removeWithDirectory(); // which is ours by its name
        else file.remove();
    }

    private static void putBack(Change change) {
        try {
            put(change.file, change.before);
        } catch (IOException e) {
            System.err.println("roost: %s could not be put back; its backup is beside it.".formatted(change.path()));
        }
    }
}
