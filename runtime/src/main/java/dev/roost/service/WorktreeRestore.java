package dev.roost.service;

import dev.roost.base.ErrorCode;
import dev.roost.engine.RuntimeContext;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.Worktree;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.node.AttemptOrder;
import dev.roost.node.SharedFileName;
import dev.roost.worktrees.TransferUploader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Restores a run's checkpoint; on a node without it, from the uploaded copy. */
record WorktreeRestore(RuntimeContext context) {

    Path restore(RunRecord run, Optional<Path> to, Optional<Integer> checkpoint) {
        if (run.work().isEmpty() || context.worktrees().isLocal(run))
            return context.worktrees().cleanup().restore(run, to, checkpoint);
        var holder = run.holder().orElse("another node");
        if (!run.status().ended())
            throw ErrorCode.RUN_IS_LIVE.error(
                    "%s is live, and its worktree is on %s.".formatted(run.title(), holder),
                    "Wait for its end, or restore on that node.");
        if (checkpoint.isPresent())
            throw ErrorCode.ON_ANOTHER_NODE.error(
                    "Earlier checkpoints of %s are on %s; only the latest was uploaded.".formatted(run.title(), holder),
                    "Restore without a number, or restore it on that node.");
        try {
            return restoreRemote(run, holder, to);
        } catch (IOException e) {
            throw ErrorCode.TRANSFER_FILES.error(
                    "The work of %s could not be downloaded: %s.".formatted(run.title(), e));
        }
    }

    private Path restoreRemote(RunRecord run, String holder, Optional<Path> to) throws IOException {
        var stream = context.output()
                .download(run.id(), SharedFileName.WORK)
                .orElseThrow(() -> ErrorCode.NO_CHECKPOINT.error(
                        "The worktree of %s is on %s, and no checkpoint of it was uploaded."
                                .formatted(run.title(), holder),
                        "Restore it on that node."));
        var worktree = restoreLocally(run, holder, stream);
        var git = context.worktrees().git(run);
        var packer = TransferUploader.packer(context.home(), git);
        try (var in = stream;
                var bundle = packer.read(in)) {
            var kept = context.home().keptFiles(run.id());
            packer.unpackWork(bundle, worktree, kept, context.clock().now());
            var place =
                    git.restore(worktree, to.map(Path::toAbsolutePath).orElse(worktree.path()), kept, Optional.empty());
            context.ledger()
                    .note(
                            run,
                            EventKind.RESTORED,
                            "to %s on %s".formatted(place, context.membership().self()));
            return place;
        }
    }

    /** The worktree as it would be in this node's clone of its repository. */
    private Worktree restoreLocally(RunRecord run, String holder, InputStream stream) throws IOException {
        var place = run.work().map(WorktreeRecord::place).orElseThrow();
        var order = context.orders().get(run.id(), 1);
        var checkout = order.flatMap(AttemptOrder::source)
                .flatMap(source -> context.placement().checkout(source.key()))
                .or(() -> order.map(AttemptOrder::cwd)
                        .filter(Files::isDirectory)); // on the node of the request, its directory itself
        if (checkout.isEmpty()) {
            stream.close();
            throw ErrorCode.NO_CHECKOUT.error(
                    "The work of %s is on %s, and %s has no checkout of its repository to restore it into."
                            .formatted(run.title(), holder, context.membership().self()),
                    "Clone it here, add the clone to [node] directories, and restart the daemon.");
        }
        var common = RepositoryOrigin.of(checkout.get()).common();
        return new Worktree(run.id(), context.home().worktree(run.id()), common, place.base(), place.target());
    }
}
