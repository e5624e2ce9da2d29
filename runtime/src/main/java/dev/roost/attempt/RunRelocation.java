package dev.roost.attempt;

import dev.roost.agents.AgentEnvironment;
import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.base.TextFormat;
import dev.roost.engine.RuntimeContext;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.node.AttemptOrder;
import dev.roost.sharedfiles.SharedFileName;
import dev.roost.worktrees.TransferUploader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Makes a run at home on the node that begins an attempt of it: finds its place here, and brings what it took along. */
record RunRelocation(RuntimeContext context) {

    /** What the ledger says of the run once it is; an attempt that is prepared has arrived. */
    RunRecord relocate(RunRecord run) throws IOException {
        int n = run.latest().n();
        var directory = context.home().run(run.id());
        if (!context.cluster().isClustered() || directory.attempt(n).isPrepared()) return run;
        directory.create();
        if (n > 1) context.cluster().fetch(run); // what it says is added to what was said before
        var order = context.cluster()
                .getOrder(run.id(), n)
                .orElseThrow(() -> new IOException("nothing says what attempt %d is to do".formatted(n)));
        var environment = environment(order);
        var here =
                run.holder().equals(Optional.of(context.cluster().self())) ? run : placeHere(run, order, environment);
        AttemptPreparation.prepareFromOrder(context, here, order, environment);
        return here;
    }

    /** What is a machine's own is this one's, where it was asked for on another. */
    private Map<String, String> environment(AttemptOrder order) {
        if (order.from().equals(context.cluster().self())) return order.environment();
        return AgentEnvironment.forOtherMachine(
                order.environment(), context.cluster().machineEnvironment());
    }

    /** The node that has its files, if that is another one. */
    private Optional<String> sourceNode(RunRecord run) {
        return run.holder().filter(node -> !node.equals(context.cluster().self()));
    }

    /** Whether this attempt is the first on this node that begins: one before it may have come here and been lost at once. */
    private boolean hasMoved(RunRecord run) {
        int n = run.latest().n();
        if (!context.cluster().isClustered() || n == 1) return false;
        int moved = context.ledger().runs().events(run.id()).stream()
                .filter(event -> EventKind.MOVED.is(event.kind()))
                .mapToInt(event -> event.attempt())
                .max()
                .orElse(0);
        return moved > 0
                && context.ledger().runs().attempts(run.id()).stream()
                        .noneMatch(attempt -> attempt.n() >= moved
                                && attempt.n() < n
                                && attempt.began().isPresent());
    }

    private record LocalPlace(Path cwd, Optional<WorktreeRecord.WorktreePlace> place) {}

    private RunRecord placeHere(RunRecord run, AttemptOrder order, Map<String, String> environment) throws IOException {
        int n = run.latest().n();
        var ground = order.worktree()
                ? worktree(run, order, environment)
                : new LocalPlace(directory(order), Optional.empty());
        Optional<Checkpoint> brought = n > 1 && ground.place().isPresent()
                ? importCheckpoint(run, ground.place().get(), environment)
                : Optional.empty();
        sourceNode(run)
                .ifPresent(node -> context.ledger()
                        .note(
                                run.id(),
                                n,
                                EventKind.MOVED,
                                "from %s to %s"
                                        .formatted(node, context.cluster().self())));
        if (!context.ledger().worktrees().recordMoved(run.id(), n, ground.cwd(), ground.place()))
            throw new IOException("attempt %d of %s is not ours any more".formatted(n, run.id()));
        brought.ifPresent(checkpoint -> {
            context.ledger()
                    .worktrees()
                    .recordCheckpoint(
                            run.id(),
                            checkpoint.n(),
                            checkpoint.ref(),
                            checkpoint.omitted().size());
            context.ledger()
                    .note(
                            run.id(),
                            n,
                            EventKind.WORKTREE,
                            "its work came along from %s as %s"
                                    .formatted(sourceNode(run).orElse("another node"), checkpoint.ref()));
        });
        return context.ledger().runs().find(run.id()).orElse(run);
    }

    /** Where a run without a worktree works here. */
    private Path directory(AttemptOrder order) {
        var directory = checkout(order)
                .map(top -> top.resolve(order.source()
                        .map(AttemptOrder.RepositorySource::inside)
                        .orElse("")))
                .orElse(order.cwd())
                .normalize();
        if (Files.isDirectory(directory)) return directory;
        throw new BadInput(
                "no_such_directory",
                "There is no directory \"%s\" on %s."
                        .formatted(
                                TextFormat.printable(directory.toString()),
                                context.cluster().self()),
                "Make it there, or start the run in another one.");
    }

    /** This node's own checkout of the repository that it was asked for in; none if it is the very directory. */
    private Optional<Path> checkout(AttemptOrder order) {
        boolean asked = order.from().equals(context.cluster().self()) && Files.isDirectory(order.cwd());
        if (asked) return Optional.empty();
        return order.source().flatMap(source -> context.cluster().checkout(source.key()));
    }

    /** Where its worktree is to be here, and what it comes from. */
    private LocalPlace worktree(RunRecord run, AttemptOrder order, Map<String, String> environment) {
        var origin = RepositoryOrigin.of(checkout(order).orElse(order.cwd()));
        var inside = order.source().map(source -> Path.of(source.inside())).orElse(origin.inside());
        var known = run.work().map(WorktreeRecord::place);
        var base = known.map(WorktreeRecord.WorktreePlace::base)
                .or(() -> order.source().map(AttemptOrder.RepositorySource::base));
        // what it has beyond what others have came along with its work
        if (base.isPresent() && known.isEmpty())
            context.worktrees().git(environment).fetchCommit(origin.common(), base.get());
        if (base.isEmpty())
            context.ledger()
                    .note(
                            run.id(),
                            run.latest().n(),
                            EventKind.WORKTREE,
                            "it begins at %s, where the checkout %s on %s is"
                                    .formatted(
                                            origin.base(),
                                            origin.top(),
                                            context.cluster().self()));
        var path = context.home().worktree(run.id());
        var place = new WorktreeRecord.WorktreePlace(
                path,
                origin.common(),
                base.orElse(origin.base()),
                known.flatMap(WorktreeRecord.WorktreePlace::target)
                        .or(() -> order.source().isPresent()
                                ? order.source().get().branch()
                                : origin.branch()),
                origin.top().resolve(inside));
        return new LocalPlace(path.resolve(inside), Optional.of(place));
    }

    private Optional<Checkpoint> importCheckpoint(
            RunRecord run, WorktreeRecord.WorktreePlace place, Map<String, String> environment) throws IOException {
        var worktree = new Worktree(run.id(), place.path(), place.common(), place.base(), place.target());
        var git = context.worktrees().git(environment);
        var stream = context.cluster().download(run.id(), SharedFileName.WORK);
        if (stream.isEmpty()) {
            git.fetchCommit(place.common(), place.base());
            return Optional.empty();
        }
        var packer = context.uploader().packer(git);
        try (var in = stream.get();
                var bundle = packer.read(in)) {
            return packer.unpackWork(
                    bundle,
                    worktree,
                    context.home().keptFiles(run.id()),
                    context.clock().now());
        }
    }

    /** Puts the conversation where the agent finds it; to be done once its directory is there, before it is started. */
    void restoreConversation(RunRecord run, AttemptDirectory attempt) throws IOException {
        if (!TransferUploader.canMoveConversation(run) || !hasMoved(run)) return;
        var session = attempt.spec().session();
        if (session.isEmpty()) return; // it begins anew
        var stream = context.cluster()
                .download(run.id(), SharedFileName.CONVERSATION)
                .orElseThrow(() -> new Refusal(
                        "no_conversation",
                        "The conversation of %s did not come along from the node where it was.".formatted(run.title()),
                        "Start another run; its files were brought here."));
        var packer = context.uploader().packer(context.worktrees().git(run));
        try (var in = stream;
                var bundle = packer.read(in)) {
            var came = packer.unpackConversation(bundle, TransferUploader.seat(run, attempt));
            if (!came.equals(session))
                throw new Refusal(
                        "no_conversation",
                        "The conversation %s of %s did not come along, but %s did."
                                .formatted(session.get(), run.title(), came.orElse("none")),
                        "Start another run; its files were brought here.");
        }
    }

    /** What its readers are told when it goes on after its node was lost. */
    Optional<String> remark(RunRecord run) {
        int n = run.latest().n();
        if (!context.cluster().isClustered() || n < 2) return Optional.empty();
        return context.ledger()
                .runs()
                .attempts(run.id())
                .get(n - 2)
                .cause()
                .filter(Cause.WORKER_LOST::equals)
                .map(cause -> "interrupted: %s; resumed on %s"
                        .formatted(cause.inWords(), context.cluster().self()));
    }
}
