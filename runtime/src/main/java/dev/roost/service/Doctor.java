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

/** Looks at the home and the machine as Roost needs them, and says what is wrong and what would help. */
final class Doctor {

    private static final long GIB = 1L << 30;

    /** The last three are a Mac's. */
    private static final List<String> TEMPORARY =
            List.of("/tmp", "/dev/shm", "/run", "/private/tmp", "/var/folders", "/private/var/folders");

    private final RuntimeContext context;

    Doctor(RuntimeContext context) {
        this.context = context;
    }

    /** {@code fix} also ends what should not be there any more. */
    List<DoctorResult> examine(boolean fix) {
        var findings = new ArrayList<DoctorResult>();
        findings.add(home());
        findings.add(disk());
        findings.add(ledger());
        findings.addAll(context.cluster().nodeDirectory().examine());
        findings.add(kernel());
        findings.add(trees());
        findings.add(exits());
        findings.add(clocks());
        findings.add(openFiles());
        findings.add(fileWatches());
        findings.add(worktrees());
        findings.add(DoctorResult.good("java", System.getProperty("java.vm.version")));
        findings.add(lingering());
        findings.add(strangers());
        findings.add(leftovers(fix));
        fenced().ifPresent(findings::add);
        return findings;
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

    static boolean isTemporary(Path place) {
        return TEMPORARY.stream().anyMatch(place::startsWith);
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
            return DoctorResult.bad("disk", "It cannot be looked at: " + e.getMessage(), "Check the mount.");
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
        if (MachineLimits.isLinux()) return DoctorResult.good("kernel", "asked as Linux: pidfd, inotify, /proc");
        var missing = MachineLimits.missingTools();
        if (!missing.isEmpty())
            return DoctorResult.bad(
                    "kernel",
                    "This system is asked by ps, lsof and perl, and there is no %s."
                            .formatted(String.join(", no ", missing)),
                    "Install it.");
        var cost =
                "asked as any Unix, by looking: an end is known up to a second later than on Linux; see docs/macos.md";
        if (!MachineLimits.isForced()) return DoctorResult.good("kernel", cost);
        return DoctorResult.warning(
                "kernel", cost, "Unset ROOST_PORTABLE and start the daemon again, when nothing runs.");
    }

    private DoctorResult trees() {
        var base = context.launcher().cgroups().base();
        if (base.isPresent()) return DoctorResult.good("process trees", "certain, by cgroups in " + base.get());
        if (!MachineLimits.isLinux())
            return DoctorResult.warning(
                    "process trees",
                    "This system has no cgroups, so a process that hides its parent, its environment, its session and its output"
                            + " can outlive its run.",
                    "Nothing helps here; roost doctor --fix ends those that can be recognised later.");
        return DoctorResult.warning(
                "process trees",
                "This machine gives no cgroups, so a process that hides its parent, its environment, its session and its output"
                        + " can outlive its run.",
                "Run the daemon where it may make cgroups: on a machine with a systemd of your own (systemctl --user), or as root.");
    }

    private DoctorResult exits() {
        if (context.exitWatcher().immediate()) return DoctorResult.good("ends", "seen at once, by pidfd");
        return DoctorResult.good(
                "ends", "seen within %d ms, by looking".formatted(MachineLimits.lookedAtEveryMillis()));
    }

    private DoctorResult worktrees() {
        var version = ProgramVersionProbe.of(Path.of("git"), Map.of());
        if (version.isEmpty())
            return DoctorResult.warning(
                    "worktrees", "There is no git, so no run can have a worktree of its own.", "Install git.");
        var troubled = context.ledger().runs().list(RunQuery.of(RunQuery.StatusFilter.ACTIVE)).stream()
                .filter(run -> run.work().flatMap(WorktreeRecord::trouble).isPresent())
                .toList();
        if (troubled.isEmpty()) return DoctorResult.good("worktrees", version.get());
        return DoctorResult.warning(
                "worktrees",
                "%s: %s"
                        .formatted(
                                troubled.getFirst().id(),
                                troubled.getFirst()
                                        .work()
                                        .flatMap(WorktreeRecord::trouble)
                                        .orElse("")),
                "Look at it: roost show %s.".formatted(troubled.getFirst().id()));
    }

    private DoctorResult clocks() {
        var slept = Duration.ofNanos(context.clock().sleptNanos());
        return DoctorResult.good(
                "clocks", "told apart; this machine has slept %s since it booted".formatted(TextFormat.span(slept)));
    }

    private DoctorResult openFiles() {
        long most = MachineLimits.openFilesLimit();
        String message = "%d may be open".formatted(most);
        if (most >= 4096) return DoctorResult.good("open files", message);
        return DoctorResult.warning(
                "open files", message, "Raise the limit (ulimit -n 65536): a live run needs about three.");
    }

    private DoctorResult fileWatches() {
        if (!MachineLimits.isLinux()) return DoctorResult.good("file events", "none here; files are looked at");
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
                    "what this system does to the daemon then is not known; roost daemon install has it started again");
        var user = System.getProperty("user.name");
        if (!Files.isDirectory(Path.of("/run/systemd/system")) || user.equals("root")) {
            return DoctorResult.good("logout", "nothing here ends the daemon when you log out");
        }
        if (Files.exists(Path.of("/var/lib/systemd/linger", user)))
            return DoctorResult.good("logout", "lingering is on");
        return DoctorResult.warning(
                "logout",
                "systemd may end your processes when you log out.",
                "Let them linger: loginctl enable-linger " + user);
    }

    private DoctorResult strangers() {
        var strangers = new ArrayList<String>();
        try (var all = Files.newDirectoryStream(context.home().runs())) {
            for (var directory : all) {
                var name = directory.getFileName().toString();
                if (RunId.parse(name).flatMap(context.ledger().runs()::find).isEmpty()) strangers.add(name);
            }
        } catch (IOException e) {
            return DoctorResult.bad("run directories", "They cannot be listed: " + e.getMessage(), "Check the home.");
        }
        if (strangers.isEmpty()) return DoctorResult.good("run directories", "each has its row in the ledger");
        return DoctorResult.warning(
                "run directories",
                "%d without a row in the ledger: %s".formatted(strangers.size(), String.join(", ", strangers)),
                "Take what you need from %s and remove them."
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
        var message = "%d of ended runs: %s"
                .formatted(
                        left.size(),
                        left.stream()
                                .map(MachineLimits.CookieProcess::described)
                                .toList());
        return fix
                ? DoctorResult.good("leftovers", "ended " + message)
                : DoctorResult.bad("leftovers", message, "End them: roost doctor --fix.");
    }

    /** Only a node of a cluster ever has such. */
    private Optional<DoctorResult> fenced() {
        try {
            var marks = AttemptFence.marks(context.home());
            if (marks.isEmpty()) return Optional.empty();
            var last = marks.getLast();
            return Optional.of(DoctorResult.good(
                    "fenced",
                    "%d ended here because others went on with them; the last was %s/%d at %s: %s"
                            .formatted(
                                    marks.size(),
                                    last.run(),
                                    last.attempt(),
                                    last.mark().at(),
                                    last.mark().why())));
        } catch (IOException e) {
            return Optional.of(DoctorResult.bad("fenced", "It cannot be told: " + e.getMessage(), "Check the home."));
        }
    }
}
