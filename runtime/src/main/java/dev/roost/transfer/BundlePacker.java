package dev.roost.transfer;

import dev.roost.git.SafeMove;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.transfer.TransferBundle.BundleHeader;
import dev.roost.transfer.TransferBundle.BundledCheckpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Packs the transfer bundle of a run on one machine, and unpacks it on another. */
public final class BundlePacker {

    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{0,127}");

    private final GitWorktrees worktrees;
    private final Path scratch;
    private final BundleLimits limits;

    /** @param scratch a private directory in the home, for entries while they are packed and unpacked */
    public BundlePacker(GitWorktrees worktrees, Path scratch, BundleLimits limits) {
        this.worktrees = worktrees;
        this.scratch = scratch;
        this.limits = limits;
    }

    /** Removes leftovers of a crash from the scratch directory. Call this only while no bundle is packed or unpacked. */
    public void clear() {
        if (!Files.isDirectory(scratch)) return;
        try (var folders = Files.newDirectoryStream(scratch, BundleDirectory.PREFIX + "*")) {
            for (var folder : folders) SafeMove.delete(folder);
        } catch (IOException e) {
            throw BundleRefusal.files(e);
        }
    }

    /** Whether conversations of this driver's agents can be moved in principle. */
    public static boolean canMoveConversation(String driver) {
        return driver.equals("acp") || SessionTransfer.named(driver).isPresent();
    }

    static boolean isSession(String text) {
        return SESSION.matcher(text).matches();
    }

    /**
     * Packs the conversation, as far as it is on disk, and the worktree's latest checkpoint. The agent may be running. The bundle
     * has no conversation if the agent's cannot be moved, and no work if there is no checkpoint.
     */
    public TransferBundle pack(BundleSource source) {
        try {
            var directory = BundleDirectory.under(scratch);
            try {
                var conversation = conversation(source, directory);
                var work = work(source, directory);
                return new TransferBundle(header(source), conversation, work, directory.folder());
            } catch (IOException | RuntimeException e) {
                directory.close();
                throw e;
            }
        } catch (IOException e) {
            throw BundleRefusal.files(e);
        }
    }

    private static BundleHeader header(BundleSource source) {
        var cwd = source.location().cwd().toAbsolutePath().normalize();
        var inside = source.worktree()
                .map(worktree -> worktree.path().toAbsolutePath().normalize())
                .filter(cwd::startsWith)
                .map(top -> top.relativize(cwd).toString())
                .orElse("");
        return new BundleHeader(source.run(), source.attempt(), source.driver(), inside);
    }

    private Optional<SessionFiles> conversation(BundleSource source, BundleDirectory directory) throws IOException {
        var session = source.session().filter(BundlePacker::isSession);
        if (session.isEmpty()) return Optional.empty();
        for (var sessionTransfer : transfers(source)) {
            var found = sessionTransfer.pack(source.location(), session.get(), directory, limits.conversation());
            if (found.isPresent()) return found;
        }
        return Optional.empty();
    }

    /** An ACP agent other than OpenCode may store its conversations like any other known tool, so all of these are tried. */
    private static List<SessionTransfer> transfers(BundleSource source) {
        if (!source.driver().equals("acp"))
            return SessionTransfer.named(source.driver()).stream().toList();
        boolean openCode = source.location().program().stream()
                .findFirst()
                .filter(program -> Path.of(program).endsWith("opencode"))
                .isPresent();
        return SessionTransfer.ALL.stream()
                .filter(sessionTransfer -> openCode == sessionTransfer.name().equals("opencode"))
                .toList();
    }

    private Optional<BundledCheckpoint> work(BundleSource source, BundleDirectory directory) throws IOException {
        if (source.worktree().isEmpty()) return Optional.empty();
        var worktree = source.worktree().get();
        var latest = worktrees.latest(worktree);
        if (latest.isEmpty()) return Optional.empty();
        return Optional.of(
                source.pushedTo().isPresent()
                        ? pushed(worktree, latest.get(), source.pushedTo())
                        : bundled(worktree, latest.get(), directory));
    }

    private BundledCheckpoint pushed(Worktree worktree, Checkpoint latest, Optional<String> remote) {
        var descriptor = worktrees.describe(worktree, latest);
        return new BundledCheckpoint(descriptor, worktree.base(), worktree.target(), remote, Optional.empty());
    }

    private BundledCheckpoint bundled(Worktree worktree, Checkpoint latest, BundleDirectory directory)
            throws IOException {
        var file = directory.nextPath();
        var descriptor = worktrees.export(worktree, latest, file, limits.work());
        var entry = directory.whole("work.bundle", file);
        return new BundledCheckpoint(
                descriptor, worktree.base(), worktree.target(), Optional.empty(), Optional.of(entry));
    }

    public TransferBundle read(InputStream from) {
        return TransferBundle.read(from, scratch, limits);
    }

    /**
     * Imports the checkpoint into the local repository as the latest of the run; {@link GitWorktrees#ensure} then creates the
     * worktree from it. Files that an earlier attempt left in that worktree here are saved to {@code kept} and removed.
     */
    public Optional<Checkpoint> unpackWork(TransferBundle bundle, Worktree worktree, Path kept, Instant at) {
        if (!bundle.header().run().equals(worktree.run()))
            throw BundleRefusal.bad("it belongs to " + bundle.header().run());
        if (bundle.work().isEmpty()) return Optional.empty();
        var bundledCheckpoint = bundle.work().get();
        if (bundledCheckpoint.bundle().isPresent())
            return Optional.of(worktrees.receive(
                    worktree,
                    bundledCheckpoint.descriptor(),
                    bundledCheckpoint.bundle().get().file(),
                    kept,
                    at));
        var remote = bundledCheckpoint
                .remote()
                .orElseThrow(() -> BundleRefusal.bad("it has neither the checkpoint nor the remote that has it"));
        return Optional.of(worktrees.fetch(worktree, bundledCheckpoint.descriptor(), remote, kept, at));
    }

    /** Writes the conversation to where the agent finds it when it resumes at this location. The directory must exist. */
    public Optional<String> unpackConversation(TransferBundle bundle, AgentLocation location) {
        if (bundle.conversation().isEmpty()) return Optional.empty();
        var conversation = bundle.conversation().get();
        var sessionTransfer = SessionTransfer.named(conversation.tool())
                .orElseThrow(() ->
                        BundleRefusal.bad("this Roost does not know the tool \"%s\"".formatted(conversation.tool())));
        if (!isSession(conversation.session()) || conversation.pieces().isEmpty())
            throw BundleRefusal.bad("its conversation is empty");
        try (var directory = BundleDirectory.under(scratch)) {
            sessionTransfer.unpack(conversation, location, directory);
            return Optional.of(conversation.session());
        } catch (IOException e) {
            throw BundleRefusal.files(e);
        }
    }
}
