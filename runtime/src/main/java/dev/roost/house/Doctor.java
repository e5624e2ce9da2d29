package dev.roost.house;

import dev.roost.ledger.Query;
import dev.roost.ledger.Work;
import dev.roost.run.RunId;
import dev.roost.run.Words;
import dev.roost.supervisor.Fence;
import dev.roost.supervisor.Machine;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Looks at the home and the machine as Roost needs them, and says what is wrong and what would help. */
final class Doctor {

    private static final long GIB = 1L << 30;

    /** The last three are a Mac's. */
    private static final List<String> TEMPORARY =
            List.of("/tmp", "/dev/shm", "/run", "/private/tmp", "/var/folders", "/private/var/folders");

    private final Rooms rooms;

    Doctor(Rooms rooms) {
        this.rooms = rooms;
    }

    /** {@code fix} also ends what should not be there any more. */
    List<Finding> examine(boolean fix) {
        var findings = new ArrayList<Finding>();
        findings.add(home());
        findings.add(disk());
        findings.add(ledger());
        findings.addAll(rooms.peers().roster().examine());
        findings.add(kernel());
        findings.add(trees());
        findings.add(exits());
        findings.add(clocks());
        findings.add(openFiles());
        findings.add(fileWatches());
        findings.add(worktrees());
        findings.add(Finding.good("java", System.getProperty("java.vm.version")));
        findings.add(lingering());
        findings.add(strangers());
        findings.add(leftovers(fix));
        fenced().ifPresent(findings::add);
        return findings;
    }

    private Finding home() {
        var root = rooms.home().root();
        if (isTemporary(root))
            return Finding.warning(
                    "home",
                    "%s does not survive a restart of the machine.".formatted(root),
                    "Set ROOST_HOME to another place.");
        return Finding.good("home", root.toString());
    }

    static boolean isTemporary(Path place) {
        return TEMPORARY.stream().anyMatch(place::startsWith);
    }

    private Finding disk() {
        try {
            var volume = new Volume(rooms.home().root());
            long free = volume.free();
            var type = volume.type();
            String message = String.format(Locale.ROOT, "%.1f GiB free", free / (double) GIB)
                    + (type.equals("unknown") ? "" : " (%s)".formatted(type));
            if (free < GIB / 10) return Finding.bad("disk", message, "Free some space, or `roost prune`.");
            if (free < GIB) return Finding.warning("disk", message, "Free some space, or `roost prune`.");
            return Finding.good("disk", message);
        } catch (IOException e) {
            return Finding.bad("disk", "It cannot be looked at: " + e.getMessage(), "Check the mount.");
        }
    }

    private Finding ledger() {
        var damage = rooms.ledger().damage();
        if (damage.isPresent()) {
            return Finding.bad(
                    "ledger", "It is damaged: " + damage.get(), "Restore a back-up: roost daemon restore FILE.");
        }
        return Finding.good("ledger", "sound");
    }

    private static Finding kernel() {
        if (Machine.isLinux()) return Finding.good("kernel", "asked as Linux: pidfd, inotify, /proc");
        var missing = Machine.missingTools();
        if (!missing.isEmpty())
            return Finding.bad(
                    "kernel",
                    "This system is asked by ps, lsof and perl, and there is no %s."
                            .formatted(String.join(", no ", missing)),
                    "Install it.");
        var cost =
                "asked as any Unix, by looking: an end is known up to a second later than on Linux; see docs/macos.md";
        if (!Machine.isForced()) return Finding.good("kernel", cost);
        return Finding.warning("kernel", cost, "Unset ROOST_PORTABLE and start the daemon again, when nothing runs.");
    }

    private Finding trees() {
        var base = rooms.perches().cgroups().base();
        if (base.isPresent()) return Finding.good("process trees", "certain, by cgroups in " + base.get());
        if (!Machine.isLinux())
            return Finding.warning(
                    "process trees",
                    "This system has no cgroups, so a process that hides its parent, its environment, its session and its output"
                            + " can outlive its run.",
                    "Nothing helps here; roost doctor --fix ends those that can be recognised later.");
        return Finding.warning(
                "process trees",
                "This machine gives no cgroups, so a process that hides its parent, its environment, its session and its output"
                        + " can outlive its run.",
                "Run the daemon where it may make cgroups: on a machine with a systemd of your own (systemctl --user), or as root.");
    }

    private Finding exits() {
        if (rooms.exits().immediate()) return Finding.good("ends", "seen at once, by pidfd");
        return Finding.good("ends", "seen within %d ms, by looking".formatted(Machine.lookedAtEveryMillis()));
    }

    private Finding worktrees() {
        var version = ProgramVersion.of(Path.of("git"), Map.of());
        if (version.isEmpty())
            return Finding.warning(
                    "worktrees", "There is no git, so no run can have a worktree of its own.", "Install git.");
        var troubled = rooms.ledger().runs().list(Query.of(Query.Which.ACTIVE)).stream()
                .filter(run -> run.work().flatMap(Work::trouble).isPresent())
                .toList();
        if (troubled.isEmpty()) return Finding.good("worktrees", version.get());
        return Finding.warning(
                "worktrees",
                "%s: %s"
                        .formatted(
                                troubled.getFirst().id(),
                                troubled.getFirst()
                                        .work()
                                        .flatMap(Work::trouble)
                                        .orElse("")),
                "Look at it: roost show %s.".formatted(troubled.getFirst().id()));
    }

    private Finding clocks() {
        var slept = Duration.ofNanos(rooms.clock().sleptNanos());
        return Finding.good(
                "clocks", "told apart; this machine has slept %s since it booted".formatted(Words.span(slept)));
    }

    private Finding openFiles() {
        long most = Machine.openFilesLimit();
        String message = "%d may be open".formatted(most);
        if (most >= 4096) return Finding.good("open files", message);
        return Finding.warning(
                "open files", message, "Raise the limit (ulimit -n 65536): a live run needs about three.");
    }

    private Finding fileWatches() {
        if (!Machine.isLinux()) return Finding.good("file events", "none here; files are looked at");
        long most = Machine.fileWatchesLimit();
        String message = "%d directories may be watched".formatted(most);
        if (most >= 1024) return Finding.good("file events", message);
        return Finding.warning(
                "file events",
                message,
                "Raise fs.inotify.max_user_watches; without a watch, progress is two seconds late.");
    }

    private static Finding lingering() {
        if (!Machine.isLinux() && !Machine.isForced())
            return Finding.good(
                    "logout",
                    "what this system does to the daemon then is not known; roost daemon install has it started again");
        var user = System.getProperty("user.name");
        if (!Files.isDirectory(Path.of("/run/systemd/system")) || user.equals("root")) {
            return Finding.good("logout", "nothing here ends the daemon when you log out");
        }
        if (Files.exists(Path.of("/var/lib/systemd/linger", user))) return Finding.good("logout", "lingering is on");
        return Finding.warning(
                "logout",
                "systemd may end your processes when you log out.",
                "Let them linger: loginctl enable-linger " + user);
    }

    private Finding strangers() {
        var strangers = new ArrayList<String>();
        try (var all = Files.newDirectoryStream(rooms.home().runs())) {
            for (var directory : all) {
                var name = directory.getFileName().toString();
                if (RunId.parse(name).flatMap(rooms.ledger().runs()::find).isEmpty()) strangers.add(name);
            }
        } catch (IOException e) {
            return Finding.bad("run directories", "They cannot be listed: " + e.getMessage(), "Check the home.");
        }
        if (strangers.isEmpty()) return Finding.good("run directories", "each has its row in the ledger");
        return Finding.warning(
                "run directories",
                "%d without a row in the ledger: %s".formatted(strangers.size(), String.join(", ", strangers)),
                "Take what you need from %s and remove them."
                        .formatted(rooms.home().runs()));
    }

    private Finding leftovers(boolean fix) {
        var left = Machine.carrying("ROOST_HOME=" + rooms.home().root()).stream()
                .filter(process -> process.runId()
                        .flatMap(RunId::parse)
                        .flatMap(rooms.ledger().runs()::find)
                        .filter(run -> !run.status().ended())
                        .isEmpty())
                .toList();
        if (left.isEmpty()) return Finding.good("leftovers", "no process of an ended run");
        if (fix) left.forEach(process -> ProcessTree.kill(process.id()));
        var message = "%d of ended runs: %s"
                .formatted(
                        left.size(),
                        left.stream().map(Machine.Carrier::described).toList());
        return fix
                ? Finding.good("leftovers", "ended " + message)
                : Finding.bad("leftovers", message, "End them: roost doctor --fix.");
    }

    /** Only a node of a cluster ever has such. */
    private Optional<Finding> fenced() {
        try {
            var marks = Fence.marks(rooms.home());
            if (marks.isEmpty()) return Optional.empty();
            var last = marks.getLast();
            return Optional.of(Finding.good(
                    "fenced",
                    "%d ended here because others went on with them; the last was %s/%d at %s: %s"
                            .formatted(
                                    marks.size(),
                                    last.run(),
                                    last.attempt(),
                                    last.mark().at(),
                                    last.mark().why())));
        } catch (IOException e) {
            return Optional.of(Finding.bad("fenced", "It cannot be told: " + e.getMessage(), "Check the home."));
        }
    }
}
