package dev.roost.sharedfiles;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Brings files of runs that another node leads into this home, so that whoever reads files finds them here. Only what is
 * missing is fetched; a reader of a file sees a beginning of it, and never bytes that the shelf has dropped, unless it read
 * them before.
 */
public final class SharedFileMirror {

    private static final int AT_ONCE = 1 << 20;
    private static final int LOCKS = 64;

    private final SharedFileStore store;
    private final Home home;
    private final Predicate<RunId> isWriter;
    private final List<ReentrantLock> locks =
            Stream.generate(ReentrantLock::new).limit(LOCKS).toList();

    /** {@code led}: which runs this node leads, whose files nobody else brings. */
    public SharedFileMirror(SharedFileStore store, Home home, Predicate<RunId> led) {
        this.store = store;
        this.home = home;
        this.isWriter = led;
    }

    /** Brings everything of a run that is not here; only for runs that this node does not lead. */
    public void download(RunId run) throws IOException {
        download(run, _ -> true);
    }

    /** The same for some of its files: who reads what it prints does not need all that it left. */
    public void download(RunId run, Predicate<SharedFileName> which) throws IOException {
        var lock = lock(run);
        lock.lock();
        try {
            if (isWriter.test(run)) return;
            var all = store.list(run);
            if (all.isEmpty()) return;
            var directory = home.run(run).path();
            Home.privateDirectory(directory);
            var notes = SharedFileNumbers.downloaded(directory);
            for (var kept : all) {
                if (which.test(kept.name()))
                    download(run, kept, directory.resolve(kept.name().text()), notes);
            }
        } finally {
            lock.unlock();
        }
    }

    /** What begins to lead a run here. */
    public interface WriterStart {
        void becomeWriter() throws IOException;
    }

    /**
     * The files of the run are this node's to write from now on. That they were brought is forgotten, since what it writes may
     * never reach the shelf: when another node has led the run meanwhile, they are brought anew.
     */
    public void becomeWriter(RunId run, WriterStart leading) throws IOException {
        var lock = lock(run);
        lock.lock();
        try {
            SharedFileNumbers.downloaded(home.run(run).path()).forget();
            leading.becomeWriter();
        } finally {
            lock.unlock();
        }
    }

    private ReentrantLock lock(RunId run) {
        return locks.get(Math.floorMod(run.hashCode(), LOCKS));
    }

    private void download(RunId run, SharedFile seen, Path file, SharedFileNumbers notes) throws IOException {
        directories(file);
        var kept = seen;
        while (!isDownloaded(run, kept, file, notes)) {
            // it was cut or replaced meanwhile: look again
            var now = store.find(run, kept.name());
            if (now.isEmpty()) return;
            kept = now.get();
        }
    }

    /** Directories one by one, since each is to be private. */
    private void directories(Path file) throws IOException {
        var parent = Objects.requireNonNull(file.getParent());
        if (parent.equals(home.runs())) return;
        directories(parent);
        Home.privateDirectory(parent);
    }

    private boolean isDownloaded(RunId run, SharedFile kept, Path file, SharedFileNumbers notes) throws IOException {
        long version = notes.get(kept.name()).orElse(0);
        boolean here = PrivateFiles.exists(file);
        if (here && version == kept.version()) return kept.whole() || append(run, kept, file);
        if (here && !kept.whole() && version + 1 == kept.version() && version > 0) {
            cut(file, kept.cutAt());
            notes.put(Map.of(kept.name(), kept.version()));
            return append(run, kept, file);
        }
        if (!replace(run, kept, file)) return false;
        notes.put(Map.of(kept.name(), kept.version()));
        return true;
    }

    private boolean append(RunId run, SharedFile kept, Path file) throws IOException {
        try (var channel = PrivateFiles.open(file)) {
            return fetch(run, kept, channel);
        }
    }

    private static void cut(Path file, long length) throws IOException {
        try (var channel = PrivateFiles.open(file)) {
            channel.truncate(length);
        }
    }

    /** All of it anew, under another name until it is complete. */
    private boolean replace(RunId run, SharedFile kept, Path file) throws IOException {
        var fresh = file.resolveSibling(file.getFileName() + ".mirror");
        try (var channel = PrivateFiles.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            if (!fetch(run, kept, channel)) {
                Files.delete(fresh);
                return false;
            }
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return true;
    }

    private boolean fetch(RunId run, SharedFile kept, java.nio.channels.FileChannel channel) throws IOException {
        long at = channel.size();
        while (at < kept.length()) {
            int most = (int) Math.min(AT_ONCE, kept.length() - at);
            var bytes = store.read(run, kept.name(), kept.version(), at, most);
            if (bytes.isEmpty()) return false;
            if (bytes.get().length == 0) throw new IOException("%s of %s ends too early".formatted(kept.name(), run));
            var buffer = ByteBuffer.wrap(bytes.get());
            while (buffer.hasRemaining()) at += channel.write(buffer, at);
        }
        return true;
    }
}
