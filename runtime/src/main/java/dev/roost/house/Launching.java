package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.ProcessId;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.ProcessTree;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Gets an attempt ready and lets its perch start it: its worktree, what it brought along, the words that it is known by. */
final class Launching {

    private final Rooms rooms;
    private final Run run;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final Talk talk;
    private final Object making = new Object();

    private Optional<Thread> maker = Optional.empty();
    private boolean isSetUp;

    Launching(Rooms rooms, Run run, AttemptDirectory directory, ProcessTree tree, Talk talk) {
        this.rooms = rooms;
        this.run = run;
        this.directory = directory;
        this.tree = tree;
        this.talk = talk;
        this.isSetUp = run.work().isEmpty();
    }

    /** The perch that was sent; none if it was halted while it got ready, and the next step, or daemon, sees to it. */
    Optional<ProcessId> launch(BooleanSupplier halted) throws IOException {
        makeWorktree(halted);
        if (halted.getAsBoolean()) return Optional.empty();
        arrived();
        var cookies = new LinkedHashMap<String, String>();
        cookies.put("ROOST_HOME", rooms.home().root().toString());
        cookies.put("ROOST_OWNER", run.owner().id());
        cookies.put("ROOST_RUN_ID", run.id().text());
        cookies.put("ROOST_ATTEMPT", Integer.toString(run.latest().n()));
        cookies.put("ROOST_TURN", Integer.toString(run.latest().turn()));
        cookies.put("ROOST_RESULT_FILE", directory.result().toString());
        rooms.faults().before(Faults.Step.SPAWN);
        var sent = rooms.perches().launch(tree, directory, cookies);
        rooms.faults().after(Faults.Step.SPAWN);
        return Optional.of(sent);
    }

    /** Git may take its time over that, but a stop does not wait for it. */
    private void makeWorktree(BooleanSupplier halted) throws IOException {
        synchronized (making) {
            maker = Optional.of(Thread.currentThread());
        }
        try {
            if (!halted.getAsBoolean()) rooms.keeping().make(run, directory);
        } finally {
            synchronized (making) {
                maker = Optional.empty();
                var _ = Thread.interrupted(); // it was meant for git
            }
        }
    }

    /** Who waits for git need not. */
    void interrupt() {
        synchronized (making) {
            maker.ifPresent(Thread::interrupt);
        }
    }

    /** It may come from another machine. */
    private void arrived() throws IOException {
        var arriving = new Arriving(rooms);
        arriving.converse(run, directory);
        var remark = arriving.remark(run);
        if (remark.isEmpty() || isNoted(EventKind.RESUMED)) return;
        talk.remark(remark.get());
        talk.save();
        rooms.ledger().note(run.id(), run.latest().n(), EventKind.RESUMED, remark.get());
    }

    private boolean isNoted(EventKind kind) {
        return rooms.ledger().runs().events(run.id()).stream()
                .anyMatch(event ->
                        kind.is(event.kind()) && event.attempt() == run.latest().n());
    }

    boolean isSetUp() {
        return isSetUp;
    }

    /** What the setup of its worktree printed belongs to its output. */
    void setUp() throws IOException {
        if (isSetUp) return;
        var said = directory.setup().said();
        if (said.isEmpty()) return;
        isSetUp = true;
        if (isNoted(EventKind.SETUP)) return;
        var failed = directory.setup().failed();
        talk.remark("setup %s\n%s"
                .formatted(
                        failed.map(status -> "failed with exit status " + status)
                                .orElse("done"),
                        said.get()));
        talk.save();
        rooms.ledger().note(run.id(), run.latest().n(), EventKind.SETUP, failed.isPresent() ? "failed" : "done");
    }
}
