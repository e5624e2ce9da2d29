package dev.roost.engine;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.config.EngineConfig;
import dev.roost.feed.ChangeFeed;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.node.AttemptFence;
import dev.roost.node.Membership;
import dev.roost.node.OrderStore;
import dev.roost.node.RunPlacement;
import dev.roost.node.SharedOutput;
import dev.roost.os.ExitWatcher;
import dev.roost.os.FileWatcher;
import dev.roost.process.PerchLauncher;
import dev.roost.worktrees.TransferUploader;
import dev.roost.worktrees.WorktreeService;
import java.util.Optional;

/** The stores, watchers and settings that every engine part gets. */
public record RuntimeContext(
        Home home,
        EngineConfig config,
        Clock clock,
        Ledger ledger,
        PerchLauncher launcher,
        ExitWatcher exitWatcher,
        FileWatcher fileWatcher,
        ChangeFeed changes,
        WorktreeService worktrees,
        Optional<TransferUploader> uploader,
        Membership membership,
        RunPlacement placement,
        OrderStore orders,
        SharedOutput output) {

    public FaultPoints faults() {
        return config.faults();
    }

    /** Kills attempts on this machine that belong to another node. */
    public AttemptFence fence() {
        return new AttemptFence(home, launcher, clock);
    }
}
