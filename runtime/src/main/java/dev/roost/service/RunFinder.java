package dev.roost.service;

import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.ledger.RunStore;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import java.util.List;
import java.util.Optional;

/** Finds the run that a text refers to. */
record RunFinder(RunStore runs) {

    /** Finds a run by id, unambiguous id prefix or name: among the caller's own runs, or among all runs for the operator. */
    RunRecord find(String text, Caller caller) {
        var found = runs.named(text, caller.scope());
        var exact = found.stream().filter(run -> run.id().text().equals(text)).findFirst();
        if (exact.isPresent()) return exact.get();
        var byName = found.stream()
                .filter(run -> run.name().equals(Optional.of(text)))
                .toList();
        if (!byName.isEmpty()) return named(text, byName, caller);
        if (found.isEmpty() || text.isBlank()) throw new NoSuchRun(text);
        if (found.size() == 1) return found.getFirst();
        throw ambiguous("\"%s\" is the beginning of several runs".formatted(TextFormat.printable(text)), found);
    }

    /** The latest run of this name. The caller's own runs come first; otherwise all must have one owner. */
    private static RunRecord named(String name, List<RunRecord> found, Caller caller) {
        var own =
                found.stream().filter(run -> run.owner().equals(caller.owner())).findFirst();
        if (own.isPresent()) return own.get();
        if (found.stream().map(RunRecord::owner).distinct().count() == 1) return found.getFirst();
        throw ambiguous("Runs of several owners have the name \"%s\"".formatted(TextFormat.printable(name)), found);
    }

    private static RoostError ambiguous(String sentence, List<RunRecord> found) {
        var some = found.stream().limit(5).map(run -> run.id().text()).toList();
        return ErrorCode.AMBIGUOUS_RUN.error(
                "%s: %s%s.".formatted(sentence, String.join(", ", some), found.size() > 5 ? ", …" : ""));
    }
}
