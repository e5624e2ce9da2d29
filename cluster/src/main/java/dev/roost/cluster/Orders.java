package dev.roost.cluster;

import dev.roost.house.Wish;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.ledger.Sql;
import dev.roost.run.RunId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What attempts are to do, as rows. */
record Orders(Ledger ledger, Given given) {

    void put(RunId run, int attempt, Set<String> needs, Wish wish) {
        given.put(run, attempt, needs, wish.json());
    }

    void dropped(RunId run, int attempt) {
        given.remove(run, attempt);
    }

    Optional<Wish> get(RunId run, int attempt) {
        return ledger.read(handle -> handle.select(
                                "SELECT wish FROM job WHERE run_id = ? AND attempt = ?", run.text(), attempt)
                        .optional(Sql::text))
                .map(Wish::read);
    }

    /** The labels that a node must have to begin the latest attempt of each. */
    Map<RunId, Set<String>> needs(List<Run> runs) {
        if (runs.isEmpty()) return Map.of();
        var ids = Many.texts(runs.stream().map(run -> run.id().text()).toList());
        return ledger.read(handle -> handle
                .select("""
                        SELECT j.run_id, j.needs FROM job j JOIN run r ON r.id = j.run_id AND r.attempt = j.attempt
                         WHERE j.run_id = ANY (?)
                        """, ids)
                .list(row -> Map.entry(new RunId(row.getString("run_id")), Set.copyOf(Node.texts(row, "needs"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** The labels that a node must have to begin it. */
    Set<String> needs(RunId run, int attempt) {
        return ledger.read(
                handle -> handle.select("SELECT needs FROM job WHERE run_id = ? AND attempt = ?", run.text(), attempt)
                        .optional(row -> Set.copyOf(Node.texts(row, "needs")))
                        .orElse(Set.of()));
    }
}
