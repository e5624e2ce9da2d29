package dev.roost.node;

import dev.roost.agents.AttemptJob;
import dev.roost.agents.Task;
import dev.roost.base.ErrorCode;
import dev.roost.base.FaultPoints;
import dev.roost.git.RepositoryOrigin;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/** A home outside a cluster: it owns all runs, starts them itself, and the files of an attempt are its order. */
public class SingleNode implements Membership, RunPlacement, OrderStore, SharedOutput {

    private final Home home;
    private final Ledger ledger;
    private final FaultPoints faults;

    public SingleNode(Home home, Ledger ledger, FaultPoints faults) {
        this.home = home;
        this.ledger = ledger;
        this.faults = faults;
    }

    public static Cluster open(Home home, Ledger ledger, FaultPoints faults) {
        var node = new SingleNode(home, ledger, faults);
        return new Cluster(node, node, node, node);
    }

    @Override
    public String self() {
        return "";
    }

    @Override
    public boolean owns(RunRecord run) {
        return true;
    }

    @Override
    public boolean ran(AttemptRecord attempt) {
        return true;
    }

    @Override
    public boolean holds(RunRecord run) {
        return true;
    }

    @Override
    public boolean isAlive(String node) {
        return true;
    }

    @Override
    public boolean isKnown(String node) {
        return true;
    }

    @Override
    public boolean isReachable(Path directory) {
        return directory.isAbsolute() && Files.isDirectory(directory);
    }

    @Override
    public void check(Set<String> tags, Runnable checkProgram) {
        if (!tags.isEmpty())
            throw ErrorCode.NO_CLUSTER.error(
                    "This home is not part of a cluster, so no machine with the tag %s can run it."
                            .formatted(String.join(" and ", tags)));
        checkProgram.run();
    }

    @Override
    public RunPlace place(RunId run, Path cwd, boolean worktree, BiPredicate<Path, String> isShared) {
        if (!worktree) return new RunPlace(cwd, Optional.empty(), Optional.empty());
        var origin = RepositoryOrigin.of(cwd);
        var path = home.worktree(run);
        var place = new WorktreeRecord.WorktreePlace(path, origin.common(), origin.base(), origin.branch(), cwd);
        return new RunPlace(path.resolve(origin.inside()), Optional.of(place), Optional.empty());
    }

    @Override
    public List<RunRecord> claim(Caps caps, int most) {
        return ledger.claim(caps, most);
    }

    @Override
    public void put(RunId run, int attempt, AttemptOrder order, Supplier<AttemptJob> job) throws IOException {
        AttemptFiles.write(home.run(run).attempt(attempt), job.get(), order.environment(), order.umask(), faults);
    }

    @Override
    public boolean has(RunId run, int attempt) {
        return home.run(run).attempt(attempt).isPrepared();
    }

    @Override
    public Optional<AttemptOrder> get(RunId run, int attempt) throws IOException {
        if (!has(run, attempt)) return Optional.empty();
        var directory = home.run(run).attempt(attempt);
        var spec = directory.spec();
        var prompt = directory.promptText().filter(text -> !text.isBlank()); // a user may have emptied the file
        return Optional.of(new AttemptOrder(
                "",
                new Task(prompt.isPresent() ? List.of() : spec.argv(), prompt),
                spec.cwd(),
                directory.environment(),
                spec.umask(),
                spec.session(),
                false,
                self(),
                Set.of(),
                Optional.empty(),
                Optional.empty()));
    }
}
