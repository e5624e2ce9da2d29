package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Words;
import java.util.List;
import java.util.Optional;

/** Which run somebody means. */
record Naming(Rooms rooms) {

    /** Finds a run by id, by an unambiguous beginning of it, or by name: the caller's own, or anybody's for the operator. */
    Run find(String text, Caller caller) {
        var found = rooms.ledger().runs().named(text, caller.scope());
        var exact = found.stream().filter(run -> run.id().text().equals(text)).findFirst();
        if (exact.isPresent()) return exact.get();
        var byName = found.stream()
                .filter(run -> run.name().equals(Optional.of(text)))
                .toList();
        if (!byName.isEmpty()) return named(text, byName, caller);
        if (found.isEmpty() || text.isBlank()) throw new NoSuchRun(text);
        if (found.size() == 1) return found.getFirst();
        throw ambiguous("\"%s\" is the beginning of several runs".formatted(Words.printable(text)), found);
    }

    /** The latest that has the name; whose, must be plain: the operator sees everybody's, and means the own one first. */
    private static Run named(String name, List<Run> found, Caller caller) {
        var own =
                found.stream().filter(run -> run.owner().equals(caller.owner())).findFirst();
        if (own.isPresent()) return own.get();
        if (found.stream().map(Run::owner).distinct().count() == 1) return found.getFirst();
        throw ambiguous("Runs of several owners have the name \"%s\"".formatted(Words.printable(name)), found);
    }

    private static BadInput ambiguous(String sentence, List<Run> found) {
        var some = found.stream().limit(5).map(run -> run.id().text()).toList();
        return new BadInput(
                "ambiguous_run",
                "%s: %s%s.".formatted(sentence, String.join(", ", some), found.size() > 5 ? ", …" : ""),
                "Give more of the id, or the run's name.");
    }
}
