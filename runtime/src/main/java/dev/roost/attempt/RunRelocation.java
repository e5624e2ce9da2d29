package dev.roost.attempt;

import dev.roost.agents.AgentEnvironment;
import dev.roost.base.ErrorCode;
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
import dev.roost.node.SharedFileName;
import dev.roost.worktrees.TransferUploader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Moves a run to the node that starts its next attempt: finds its directory here and restores its uploaded state. */
record RunRelocation(RuntimeContext context) {

    /** Relocates the run if necessary and returns its row. A prepared attempt needs no relocation. */
    RunRecord relocate(RunRecord run) throws IOException {
        int n = run.latest().n();
        var directory = context.home().run(run.id());
        if (directory.attempt(n).isPrepared()) return run;
        var stored = context.orders().get(run.id(), n);
        boolean isHere = context.membership().holds(run);
        if (isHere && stored.isEmpty()) return run; // its files were removed by hand, which the loop reports
        var order = stored.orElseThrow(() -> new IOException("the start order of attempt %d is missing".formatted(n)));
        directory.create();
        if (n > 1) context.output().fetch(run); // its output is appended to the earlier output
        var environment = environment(order);
        var here = isHere ? run : placeHere(run, order, environment);
        AttemptPreparation.prepareFromOrder(context, here, order, environment);
        return here;
    }

    /** The environment of the attempt. If another machine requested the run, this machine's own variables replace its. */
    private Map<String, String> environment(AttemptOrder order) {
        if (order.from().equals(context.membership().self())) return order.environment();
        return AgentEnvironment.forOtherMachine(
                order.environment(), context.membership().machineEnvironment());
    }

    /** The node that has the files of the run, if it is another node. */
    private Optional<String> sourceNode(RunRecord run) {
        return run.holder().filter(node -> !node.equals(context.membership().self()));
    }

    /** Whether no attempt has begun here since the run moved: an attempt that moved here may have been lost before it began. */
    private boolean hasMoved(RunRecord run) {
        int n = run.latest().n();
        if (n == 1) return false;
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
        var localPlace = order.worktree()
                ? worktree(run, order, environment)
                : new LocalPlace(directory(order), Optional.empty());
        Optional<Checkpoint> imported = n > 1 && localPlace.place().isPresent()
                ? importCheckpoint(run, localPlace.place().get(), environment)
                : Optional.empty();
        sourceNode(run)
                .ifPresent(node -> context.ledger()
                        .note(
                                run.id(),
                                n,
                                EventKind.MOVED,
                                "from %s to %s"
                                        .formatted(node, context.membership().self())));
        if (!context.ledger().worktrees().recordMoved(run.id(), n, localPlace.cwd(), localPlace.place()))
            throw new IOException("attempt %d of %s belongs to another node now".formatted(n, run.id()));
        imported.ifPresent(checkpoint -> {
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
                            "its work was copied from %s as %s"
                                    .formatted(sourceNode(run).orElse("another node"), checkpoint.ref()));
        });
        return context.ledger().runs().find(run.id()).orElse(run);
    }

    /** The working directory here of a run without a worktree. */
    private Path directory(AttemptOrder order) {
        var directory = checkout(order)
                .map(top -> top.resolve(order.source()
                        .map(AttemptOrder.RepositorySource::inside)
                        .orElse("")))
                .orElse(order.cwd())
                .normalize();
        if (Files.isDirectory(directory)) return directory;
        throw ErrorCode.NO_SUCH_DIRECTORY.error(
                "There is no directory \"%s\" on %s."
                        .formatted(
                                TextFormat.printable(directory.toString()),
                                context.membership().self()),
                "Create it there, or start the run in another directory.");
    }

    /** This node's checkout of the run's repository; empty if the run was requested on this node in an existing directory. */
    private Optional<Path> checkout(AttemptOrder order) {
        boolean requestedHere = order.from().equals(context.membership().self()) && Files.isDirectory(order.cwd());
        if (requestedHere) return Optional.empty();
        return order.source().flatMap(source -> context.placement().checkout(source.key()));
    }

    /** The place of its worktree on this node, and the repository that it comes from. */
    private LocalPlace worktree(RunRecord run, AttemptOrder order, Map<String, String> environment) {
        var origin = RepositoryOrigin.of(checkout(order).orElse(order.cwd()));
        var inside = order.source().map(source -> Path.of(source.inside())).orElse(origin.inside());
        var known = run.work().map(WorktreeRecord::place);
        var base = known.map(WorktreeRecord.WorktreePlace::base)
                .or(() -> order.source().map(AttemptOrder.RepositorySource::base));
        // for a known worktree the bundle brings the commits that the shared repository lacks
        if (base.isPresent() && known.isEmpty())
            context.worktrees().git(environment).fetchCommit(origin.common(), base.get());
        if (base.isEmpty())
            context.ledger()
                    .note(
                            run,
                            EventKind.WORKTREE,
                            "it begins at %s, the commit of the checkout %s on %s"
                                    .formatted(
                                            origin.base(),
                                            origin.top(),
                                            context.membership().self()));
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
        var stream = context.output().download(run.id(), SharedFileName.WORK);
        if (stream.isEmpty()) {
            git.fetchCommit(place.common(), place.base());
            return Optional.empty();
        }
        var packer = TransferUploader.packer(context.home(), git);
        try (var in = stream.get();
                var bundle = packer.read(in)) {
            return packer.unpackWork(
                    bundle,
                    worktree,
                    context.home().keptFiles(run.id()),
                    context.clock().now());
        }
    }

    /** Writes the conversation where the agent finds it; call after its directory exists and before the agent starts. */
    void restoreConversation(RunRecord run, AttemptDirectory attempt) throws IOException {
        if (!TransferUploader.canMoveConversation(run) || !hasMoved(run)) return;
        var session = attempt.spec().session();
        if (session.isEmpty()) return; // the agent begins a new conversation
        var stream = context.output()
                .download(run.id(), SharedFileName.CONVERSATION)
                .orElseThrow(() -> ErrorCode.NO_CONVERSATION.error(
                        "The conversation of %s was not copied from its earlier node.".formatted(run.title())));
        var packer = TransferUploader.packer(context.home(), context.worktrees().git(run));
        try (var in = stream;
                var bundle = packer.read(in)) {
            var unpacked = packer.unpackConversation(bundle, TransferUploader.location(run, attempt));
            if (!unpacked.equals(session))
                throw ErrorCode.NO_CONVERSATION.error("The conversation %s of %s was not copied; the bundle holds %s."
                        .formatted(session.get(), run.title(), unpacked.orElse("none")));
        }
    }

    /** The remark for the output of a run that continues after its node was lost. */
    Optional<String> remark(RunRecord run) {
        int n = run.latest().n();
        if (n < 2) return Optional.empty();
        return context.ledger()
                .runs()
                .attempts(run.id())
                .get(n - 2)
                .cause()
                .filter(Cause.WORKER_LOST::equals)
                .map(cause -> "interrupted: %s; resumed on %s"
                        .formatted(cause.inWords(), context.membership().self()));
    }
}
