package dev.roost.worktrees;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Sees to it that a worktree is there: as it was, attached again, from its branch, or from what was kept of it. */
final class Ensuring {

    private final Git git;
    private final Worktree w;
    private final Kept own;

    Ensuring(Git git, Worktree w, Path kept) {
        this.git = git;
        this.w = w;
        this.own = Kept.of(kept, w.run());
    }

    static boolean isIntact(Worktree w) {
        return Admin.of(w.path(), w.common())
                .filter(admin -> admin.pointsTo(w.path()))
                .isPresent();
    }

    Made ensure() throws IOException {
        var _ = Removing.recover(w);
        var making = new Making(git, w, w.path());
        if (!isIntact(w)) {
            try (var _ = Locks.on(w.common())) {
                making.clear();
            }
        }
        if (isIntact(w)) {
            var admin = Admin.of(w.path(), w.common()).orElseThrow();
            if (!Files.exists(admin.dir().resolve("locked"))) making.lock();
            own.giveBack(w.path(), true, Moving.Clash.LEAVE);
            return Made.of(Made.How.AS_IT_WAS);
        }
        Optional<Path> displaced = Optional.empty();
        if (isFilled(w.path())) {
            if (!Files.isDirectory(w.path().resolve(".git"), LinkOption.NOFOLLOW_LINKS)
                    && Files.isDirectory(w.path(), LinkOption.NOFOLLOW_LINKS)) {
                making.attach(Rescues.latest(git, w));
                making.lock();
                own.giveBack(w.path(), true, Moving.Clash.LEAVE);
                return Made.of(Made.How.AS_IT_WAS);
            }
            displaced = Optional.of(displace());
        }
        return again(making, displaced);
    }

    private Made again(Making making, Optional<Path> displaced) throws IOException {
        salvage();
        var last = Rescues.latest(git, w);
        if (last.isEmpty()) {
            boolean hadBranch = git.at(w.common())
                    .ask("rev-parse", "--verify", "--quiet", w.branchRef())
                    .ok();
            making.fresh();
            own.giveBack(w.path(), true, Moving.Clash.LEAVE);
            return new Made(hadBranch ? Made.How.FROM_BRANCH : Made.How.FRESH, Optional.empty(), displaced);
        }
        if (wentOn(last.get())) {
            making.fresh();
            own.giveBack(w.path(), true, Moving.Clash.LEAVE);
            return new Made(Made.How.FROM_BRANCH, Optional.of(w.branchRef()), displaced);
        }
        bring(w.path(), last.get());
        return new Made(Made.How.FROM_RESCUE, Optional.of(last.get().ref().name()), displaced);
    }

    /** Whether the run's branch has commits on top of those that its last checkpoint knows. */
    private boolean wentOn(Rescues.Known last) {
        var head = last.message().head();
        if (head.isEmpty() || !last.message().branch().equals(Optional.of(w.branchRef()))) return false;
        var tip = git.at(w.common()).ask("rev-parse", "--verify", "--quiet", w.branchRef() + "^{commit}");
        return tip.ok()
                && !tip.line().equals(head.get())
                && git.at(w.common())
                        .ask("merge-base", "--is-ancestor", head.get(), tip.line())
                        .ok();
    }

    /** A directory is gone, but git still has its HEAD and log: what they know is kept before they go. */
    void salvage() {
        var stale = Admin.pointingTo(w.path(), w.common()).filter(Admin::isWhole);
        if (stale.isEmpty()) return;
        var there = git.with("GIT_DIR", stale.get().dir().toString());
        var at = Rescues.latest(git, w).map(known -> known.parsed().at()).orElse(Instant.EPOCH);
        var _ = new Taking(there, w, w.common(), stale.get(), "its directory was gone", at).takeWithoutFiles();
    }

    private Path displace() throws IOException {
        for (int n = 1; ; n++) {
            var place = own.root().resolve("displaced-" + n);
            if (Moving.exists(place)) continue;
            Moving.move(w.path(), place, Moving.Clash.LEAVE);
            return place;
        }
    }

    static boolean isFilled(Path place) throws IOException {
        if (!Moving.exists(place)) return false;
        return !Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS) || !Moving.isEmpty(place);
    }

    /** Brings a checkpoint back to its own place or to another. */
    void bring(Path to, Rescues.Known known) throws IOException {
        new Making(git, w, to).from(known, own);
        boolean belongs = own.belongsTo(known.ref().commit());
        own.giveBack(to, isHome(to), belongs ? Moving.Clash.REPLACE : Moving.Clash.LEAVE);
        if (belongs && isHome(to)) own.close();
    }

    boolean isHome(Path to) {
        return to.toAbsolutePath().normalize().equals(w.path().toAbsolutePath().normalize());
    }
}
