package dev.roost.service;

import dev.roost.base.TextFormat;
import dev.roost.engine.ProgramVersionProbe;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.DoctorResult;
import dev.roost.model.RunId;
import dev.roost.node.AttemptFence;
import dev.roost.os.MachineLimits;
import dev.roost.os.Volume;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Checks the home and the machine, and reports each problem with a remedy. */
final class Doctor {

    private static final long GIB = 1L << 30;

    /** The last three are macOS directories. */
    private static final List<String> TEMPORARY =
            List.of("/tmp", "/dev/shm", "/run", "/private/tmp", "/var/folders", "/private/var/folders");

    private final RuntimeContext context;

    Doctor(RuntimeContext context) {
        this.context = context;
    }

    /** Runs all checks; {@code fix} also kills leftover processes. */
    List<DoctorResult> examine(boolean fix) {
        var results = new ArrayList<DoctorResult>();
        results.add(home());
        results.add(disk());
        results.add(ledger());
        results.addAll(context.membership().directory().examine());
        results.add(kernel());
        results.add(trees());
        results.add(exits());
        results.add(clocks());
        results.add(openFiles());
        results.add(fileWatches());
        results.add(worktrees());
        results.add(DoctorResult.good("java", System.getProperty("java.vm.version")));
        results.add(lingering());
        results.add(unknownDirectories());
        results.add(leftovers(fix));
        fenced().ifPresent(results::add);
        return results;
    }

    private DoctorResult home() {
        var root = context.home().root();
        if (isTemporary(root))
            return DoctorResult.warning(
                    "home",
                    "%s does not survive a restart of the machine.".formatted(root),
                    "Set ROOST_HOME to another place.");
        return DoctorResult.good("home", root.toString());
    }

    static boolean isTemporary(Path path) {
        return TEMPORARY.stream().anyMatch(path::startsWith);
    }

    private DoctorResult disk() {
        try {
            var volume = new Volume(context.home().root());
            long free = volume.free();
            var type = volume.type();
            String message = String.format(Locale.ROOT, "%.1f GiB free", free / (double) GIB)
                    + (type.equals("unknown") ? "" : " (%s)".formatted(type));
            if (free < GIB / 10) return DoctorResult.bad("disk", message, "Free some space, or `roost prune`.");
            if (free < GIB) return DoctorResult.warning("disk", message, "Free some space, or `roost prune`.");
            return DoctorResult.good("disk", message);
        } catch (IOException e) {
            return DoctorResult.bad("disk", "The disk cannot be checked: " + e.getMessage(), "Check the mount.");
        }
    }

    private DoctorResult ledger() {
        var damage = context.ledger().integrityError();
        if (damage.isPresent()) {
            return DoctorResult.bad(
                    "ledger", "It is damaged: " + damage.get(), "Restore a back-up: roost daemon restore FILE.");
        }
        return DoctorResult.good("ledger", "sound");
    }

    private static DoctorResult kernel() {
        if (MachineLimits.isLinux()) return DoctorResult.good("kernel", "Linux interfaces: pidfd, inotify, /proc");
        var missing = MachineLimits.missingTools();
        if (!missing.isEmpty())
            return DoctorResult.bad(
                    "kernel",
                    "Roost reads this system with ps, lsof and perl, and %s is not installed."
                            .formatted(String.join(" and ", missing)),
                    "Install it.");
        var cost =
                "portable Unix interfaces, by polling: an end is seen up to a second later than on Linux; see docs/macos.md";
        if (!MachineLimits.isForced()) return DoctorResult.good("kernel", cost);
        return DoctorResult.warning(
                "kernel", cost, "Unset ROOST_PORTABLE and restart the daemon while no run is live.");
    }

    private DoctorResult trees() {
        var base = context.launcher().cgroups().base();
        if (base.isPresent()) return DoctorResult.good("process trees", "certain, by cgroups in " + base.get());
        if (!MachineLimits.isLinux())
            return DoctorResult.warning(
                    "process trees",
                    "This system has no cgroups, so a process that hides its parent, its environment, its session and its output"
                            + " can outlive its run.",
                    "There is no remedy here; roost doctor --fix kills those that it can recognise later.");
        return DoctorResult.warning(
                "process trees",
                "This machine gives no cgroups, so a process that hides its parent, its environment, its session and its output"
                        + " can outlive its run.",
                "Run the daemon where it may make cgroups: on a machine with a systemd of your own (systemctl --user), or as root.");
    }

    private DoctorResult exits() {
        if (context.exitWatcher().immediate()) return DoctorResult.good("ends", "seen at once, by pidfd");
        return DoctorResult.good(
                "ends", "seen within %d ms, by polling".formatted(MachineLimits.lookedAtEveryMillis()));
    }

    private DoctorResult worktrees() {
        var version = ProgramVersionProbe.of(Path.of("git"), Map.of());
        if (version.isEmpty())
            return DoctorResult.warning(
                    "worktrees", "There is no git, so no run can have a worktree of its own.", "Install git.");
        var problems = context.ledger().runs().list(RunQuery.of(RunQuery.StatusFilter.ACTIVE)).stream()
                .filter(run -> run.work().flatMap(WorktreeRecord::trouble).isPresent())
                .toList();
        if (problems.isEmpty()) return DoctorResult.good("worktrees", version.get());
        return DoctorResult.warning(
                "worktrees",
                "%s: %s"
                        .formatted(
                                problems.getFirst().id(),
                                problems.getFirst()
                                        .work()
                                        .flatMap(WorktreeRecord::trouble)
                                        .orElse("")),
                "Run roost show %s for the details."
                        .formatted(problems.getFirst().id()));
    }

    private DoctorResult clocks() {
        var slept = Duration.ofNanos(context.clock().sleptNanos());
        return DoctorResult.good(
                "clocks",
                "monotonic time and sleep are distinct; this machine has slept %s since it booted"
                        .formatted(TextFormat.span(slept)));
    }

    private DoctorResult openFiles() {
        long most = MachineLimits.openFilesLimit();
        String message = "%d may be open".formatted(most);
        if (most >= 4096) return DoctorResult.good("open files", message);
        return DoctorResult.warning(
                "open files", message, "Raise the limit (ulimit -n 65536): a live run needs about three.");
    }

    private DoctorResult fileWatches() {
        if (!MachineLimits.isLinux()) return DoctorResult.good("file events", "none on this system; files are polled");
        long most = MachineLimits.fileWatchesLimit();
        String message = "%d directories may be watched".formatted(most);
        if (most >= 1024) return DoctorResult.good("file events", message);
        return DoctorResult.warning(
                "file events",
                message,
                "Raise fs.inotify.max_user_watches; without a watch, progress is two seconds late.");
    }

    private static DoctorResult lingering() {
        if (!MachineLimits.isLinux() && !MachineLimits.isForced())
            return DoctorResult.good(
                    "logout",
                    "whether this system ends the daemon at logout is not known; roost daemon install makes it restart");
        var user = System.getProperty("user.name");
        if (!Files.isDirectory(Path.of("/run/systemd/system")) || user.equals("root")) {
            return DoctorResult.good("logout", "the daemon keeps running when you log out");
        }
        if (Files.exists(Path.of("/var/lib/systemd/linger", user)))
            return DoctorResult.good("logout", "lingering is on");
        return DoctorResult.warning(
                "logout",
                "systemd may end your processes when you log out.",
                "Enable lingering: loginctl enable-linger " + user);
    }

    private DoctorResult unknownDirectories() {
        var unknownDirectories = new ArrayList<String>();
        try (var all = Files.newDirectoryStream(context.home().runs())) {
            for (var directory : all) {
                var name = directory.getFileName().toString();
                if (RunId.parse(name).flatMap(context.ledger().runs()::find).isEmpty()) unknownDirectories.add(name);
            }
        } catch (IOException e) {
            return DoctorResult.bad("run directories", "They cannot be listed: " + e.getMessage(), "Check the home.");
        }
        if (unknownDirectories.isEmpty()) return DoctorResult.good("run directories", "each has a row in the ledger");
        return DoctorResult.warning(
                "run directories",
                "%d without a row in the ledger: %s"
                        .formatted(unknownDirectories.size(), String.join(", ", unknownDirectories)),
                "Save the files that you need from %s and remove these directories."
                        .formatted(context.home().runs()));
    }

    private DoctorResult leftovers(boolean fix) {
        var left = MachineLimits.findByCookie("ROOST_HOME=" + context.home().root()).stream()
                .filter(process -> process.runId()
                        .flatMap(RunId::parse)
                        .flatMap(context.ledger().runs()::find)
                        .filter(run -> !run.status().ended())
                        .isEmpty())
                .toList();
        if (left.isEmpty()) return DoctorResult.good("leftovers", "no process of an ended run");
        if (fix) left.forEach(process -> ProcessTree.kill(process.id()));
        var message = "processes of ended runs (%d): %s"
                .formatted(
                        left.size(),
                        left.stream()
                                .map(MachineLimits.CookieProcess::described)
                                .toList());
        return fix
                ? DoctorResult.good("leftovers", "killed " + message)
                : DoctorResult.bad("leftovers", message, "Kill them: roost doctor --fix.");
    }

    /** The attempts fenced on this node; only nodes of a cluster have any. */
    private Optional<DoctorResult> fenced() {
        try {
            var marks = AttemptFence.marks(context.home());
            if (marks.isEmpty()) return Optional.empty();
            var last = marks.getLast();
            return Optional.of(DoctorResult.good(
                    "fenced",
                    "%d attempts were killed here because other nodes continued them; the last was %s/%d at %s: %s"
                            .formatted(
                                    marks.size(),
                                    last.run(),
                                    last.attempt(),
                                    last.mark().at(),
                                    last.mark().why())));
        } catch (IOException e) {
            return Optional.of(
                    DoctorResult.bad("fenced", "The fence marks cannot be read: " + e.getMessage(), "Check the home."));
        }
    }
}
