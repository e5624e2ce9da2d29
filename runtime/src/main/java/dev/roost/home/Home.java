package dev.roost.home;

import dev.roost.base.DiskErrors;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.model.RunId;
import dev.roost.os.Volume;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** {@code $ROOST_HOME}: the directory of all files of one Roost, readable by its user only. */
public record Home(Path root) {

    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final Pattern NETWORK =
            Pattern.compile("nfs.*|cifs|smb.*|9p|afs|ceph|glusterfs|lustre|fuse\\.sshfs|afpfs|webdav|macfuse|osxfuse");
    private static final int LONGEST_SOCKET_PATH = 103;

    /** Creates the home, or checks an existing one; throws if Roost cannot use it. */
    public static Home open(Path root) {
        var home = new Home(root.toAbsolutePath().normalize());
        try {
            Files.createDirectories(home.root, PosixFilePermissions.asFileAttribute(PRIVATE));
            refuseOtherUsers(home.root);
            if (!Files.getPosixFilePermissions(home.root).equals(PRIVATE))
                Files.setPosixFilePermissions(home.root, PRIVATE);
            String type = new Volume(home.root).type();
            if (isRemote(type)) {
                throw ErrorCode.HOME_ON_NETWORK.error(
                        "The home %s is on a network filesystem (%s), where locks and renames cannot be relied on."
                                .formatted(home.root, type));
            }
            for (var part : new Path[] {
                home.runs(),
                home.logs(),
                home.library(),
                home.worktrees(),
                home.keptRoot(),
                home.transfers(),
                home.submissions().directory()
            }) {
                privateDirectory(part);
                if (!Files.isReadable(part) || !Files.isWritable(part) || !Files.isExecutable(part))
                    throw new AccessDeniedException(part.toString());
            }
        } catch (IOException e) {
            throw DiskErrors.unusable(home.root.toString(), e);
        }
        if (home.socket().toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET_PATH) {
            throw ErrorCode.HOME_PATH_TOO_LONG.error("The path %s is too long for a Unix socket (%d bytes at most)."
                    .formatted(home.socket(), LONGEST_SOCKET_PATH));
        }
        return home;
    }

    static boolean isRemote(String type) {
        return NETWORK.matcher(type).matches();
    }

    /** Root could open any user's home, and would leave files there that the owner cannot change. */
    private static void refuseOtherUsers(Path root) throws IOException {
        var owner = Files.getOwner(root).getName();
        var user = ProcessHandle.current().info().user().orElse(owner); // absent for a user id without a name
        if (user.equals(owner)) return;
        throw ErrorCode.HOME_UNUSABLE.error(
                "The home %s belongs to %s, and you are %s.".formatted(root, owner, user),
                "Use it as %s, or set ROOST_HOME to a directory of yours.".formatted(owner));
    }

    /** Creates a directory that only its user can read, if it does not exist. A symlink in its place is an error. */
    public static void privateDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) return;
        Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PRIVATE));
    }

    /** The unique id of this home, independent of its path. */
    public String identity() {
        var file = root.resolve("node-id");
        try {
            var existing = PrivateFiles.read(file).map(String::strip);
            // a crash during the first write leaves an empty file or zeros; no daemon has used that id yet
            if (existing.isPresent()
                    && !existing.get().isEmpty()
                    && existing.get().indexOf('\0') < 0) return existing.get();
            var fresh = UUID.randomUUID().toString();
            PrivateFiles.writeDurably(file, (fresh + "\n").getBytes(StandardCharsets.UTF_8));
            return fresh;
        } catch (IOException e) {
            throw ErrorCode.HOME_UNWRITABLE.error(
                    "%s cannot be written: %s.".formatted(file, TextFormat.why(e)), "Check the disk.");
        }
    }

    public Path ledger() {
        return root.resolve("roost.db");
    }

    public Path socket() {
        return root.resolve("roost.sock");
    }

    public Path lock() {
        return root.resolve("daemon.lock");
    }

    /** The time at which this node last renewed its lease. */
    public Path leaseSeenFile() {
        return root.resolve("heard");
    }

    /** A lock held either by a daemon that has a guard, or by the guard while it kills agents. */
    public Path guardLock() {
        return root.resolve("guard.lock");
    }

    public Path logs() {
        return root.resolve("logs");
    }

    public SubmissionMarkers submissions() {
        return new SubmissionMarkers(root.resolve("submitting"));
    }

    public Path runs() {
        return root.resolve("runs");
    }

    /** Files that Roost unpacks: the perch script, the database library. */
    public Path library() {
        return root.resolve("lib");
    }

    /** Makes SQLite unpack its native library in the home, where no other user can replace it. */
    public void unpackLibraries() {
        System.setProperty("org.sqlite.tmpdir", library().toString());
    }

    /** Transfer bundles of runs while they are packed or unpacked. */
    public Path transfers() {
        return root.resolve("transfers");
    }

    /** The worktrees of the runs. */
    public Path worktrees() {
        return root.resolve("worktrees");
    }

    public Path worktree(RunId run) {
        return worktrees().resolve(run.text());
    }

    /** Files of a removed worktree that are in no checkpoint. */
    public Path keptFiles(RunId run) {
        return keptRoot().resolve(run.text());
    }

    public Path keptRoot() {
        return root.resolve("kept");
    }

    public RunDirectory run(RunId run) {
        return new RunDirectory(runs().resolve(run.text()));
    }
}
