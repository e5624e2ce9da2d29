package dev.roost.transfer;

import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.worktree.GitWorktrees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Packs what a run takes along on one machine, and unpacks it on another. */
public final class BundlePacker {

    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{0,127}");

    private final GitWorktrees worktrees;
    private final Path scratch;
    private final BundleLimits limits;

    /** @param scratch a private directory in the home, for pieces while they are packed and unpacked */
    public BundlePacker(GitWorktrees worktrees, Path scratch, BundleLimits limits) {
        this.worktrees = worktrees;
        this.scratch = scratch;
        this.limits = limits;
    }

    /** Removes what a crash left in the scratch; to be called when nobody packs. */
    public void clear() {
        if (!Files.isDirectory(scratch)) return;
        try (var left = Files.newDirectoryStream(scratch, BundleDirectory.NAMES + "*")) {
            for (var folder : left) BundleDirectory.delete(folder);
        } catch (IOException e) {
            throw BundleRefusal.files(e);
        }
    }

    /** Whether conversations of this driver's agents can be moved, as far as is known without looking. */
    public static boolean canMoveConversation(String driver) {
        return driver.equals("acp") || SessionTransfer.named(driver).isPresent();
    }

    static boolean isSession(String text) {
        return SESSION.matcher(text).matches();
    }

    /**
     * Packs the conversation as far as it is written down and the worktree's latest checkpoint. The agent may be at work
     * meanwhile. Without a conversation, the agent's cannot be moved; without work, there is none.
     */
    public TransferBundle pack(BundleSource source) {
        try {
            var directory = BundleDirectory.under(scratch);
            try {
                var conversation = conversation(source, directory);
                var work = work(source, directory);
                return new TransferBundle(facts(source), conversation, work, directory.folder());
            } catch (IOException | RuntimeException e) {
                directory.close();
                throw e;
            }
        } catch (IOException e) {
            throw BundleRefusal.files(e);
        }
    }

    private static BundleHeader facts(BundleSource source) {
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
        for (var sessionTransfer : tools(source)) {
            var found = sessionTransfer.pack(source.location(), session.get(), directory, limits.conversation());
            if (found.isPresent()) return found;
        }
        return Optional.empty();
    }

    /** Whatever speaks ACP keeps its conversations like one of those that are known, or cannot be moved. */
    private static List<SessionTransfer> tools(BundleSource source) {
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
        var piece = directory.whole("work.bundle", file);
        return new BundledCheckpoint(
                descriptor, worktree.base(), worktree.target(), Optional.empty(), Optional.of(piece));
    }

    public TransferBundle read(InputStream from) {
        return TransferBundle.read(from, scratch, limits);
    }

    /**
     * Takes the checkpoint into the repository here, as the latest of the run: {@link GitWorktrees#ensure} makes the worktree
     * from it. What an earlier attempt left in that worktree on this machine is kept and goes.
     */
    public Optional<Checkpoint> unpackWork(TransferBundle bundle, Worktree worktree, Path kept, Instant at) {
        if (!bundle.header().run().equals(worktree.run()))
            throw BundleRefusal.bad("it is that of " + bundle.header().run());
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
                .orElseThrow(() -> BundleRefusal.bad("its work is neither in it nor anywhere else"));
        return Optional.of(worktrees.fetch(worktree, bundledCheckpoint.descriptor(), remote, kept, at));
    }

    /** Puts the conversation where the agent finds it when it is resumed on this seat, whose directory must be there. */
    public Optional<String> unpackConversation(TransferBundle bundle, AgentLocation location) {
        if (bundle.conversation().isEmpty()) return Optional.empty();
        var conversation = bundle.conversation().get();
        var sessionTransfer = SessionTransfer.named(conversation.tool())
                .orElseThrow(() -> BundleRefusal.bad("nobody here knows \"%s\"".formatted(conversation.tool())));
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
