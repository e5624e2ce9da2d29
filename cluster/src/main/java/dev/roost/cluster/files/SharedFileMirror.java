package dev.roost.cluster.files;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
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
 * Downloads files of runs of other nodes into this home, so that readers of files find them locally. Only missing bytes are
 * fetched. A reader sees a prefix of the file in the store, and never bytes that the store has dropped, unless the reader had
 * read them before.
 */
public final class SharedFileMirror {

    private static final int CHUNK = 1 << 20;
    private static final int LOCKS = 64;

    private final PostgresFileStore store;
    private final Home home;
    private final Predicate<RunId> isWriter;
    private final List<ReentrantLock> locks =
            Stream.generate(ReentrantLock::new).limit(LOCKS).toList();

    /** {@code isWriter}: whether this node writes the files of a run, which are then never downloaded. */
    public SharedFileMirror(PostgresFileStore store, Home home, Predicate<RunId> isWriter) {
        this.store = store;
        this.home = home;
        this.isWriter = isWriter;
    }

    /** Downloads all missing files of a run, unless this node writes them. */
    public void download(RunId run) throws IOException {
        download(run, _ -> true);
    }

    /** The same for some files: a reader of the output does not need the results. */
    public void download(RunId run, Predicate<SharedFileName> which) throws IOException {
        var lock = lock(run);
        lock.lock();
        try {
            if (isWriter.test(run)) return;
            var files = store.list(run);
            if (files.isEmpty()) return;
            var directory = home.run(run).path();
            Home.privateDirectory(directory);
            var versions = SharedFileNumbers.downloaded(directory);
            for (var stored : files) {
                if (which.test(stored.name()))
                    download(run, stored, directory.resolve(stored.name().text()), versions);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes this node the owner of a run. */
    public interface WriterStart {
        void becomeWriter() throws IOException;
    }

    /**
     * Makes this node the writer of the run's files. The record of downloaded versions is deleted, because local writes may never
     * reach the store: once another node has written the run meanwhile, all files are downloaded again.
     */
    public void becomeWriter(RunId run, WriterStart start) throws IOException {
        var lock = lock(run);
        lock.lock();
        try {
            SharedFileNumbers.downloaded(home.run(run).path()).forget();
            start.becomeWriter();
        } finally {
            lock.unlock();
        }
    }

    private ReentrantLock lock(RunId run) {
        return locks.get(Math.floorMod(run.hashCode(), LOCKS));
    }

    private void download(RunId run, SharedFile listed, Path file, SharedFileNumbers versions) throws IOException {
        createParents(file);
        var stored = listed;
        while (!tryDownload(run, stored, file, versions)) {
            // truncated or replaced meanwhile: try again with the new version
            var current = store.find(run, stored.name());
            if (current.isEmpty()) return;
            stored = current.get();
        }
    }

    /** Creates the directories one by one, because each must be private. */
    private void createParents(Path file) throws IOException {
        var parent = Objects.requireNonNull(file.getParent());
        if (parent.equals(home.runs())) return;
        createParents(parent);
        Home.privateDirectory(parent);
    }

    /** False if the file changed in the store meanwhile. */
    private boolean tryDownload(RunId run, SharedFile stored, Path file, SharedFileNumbers versions)
            throws IOException {
        long version = versions.get(stored.name()).orElse(0);
        boolean exists = PrivateFiles.exists(file);
        if (exists && version == stored.version()) return stored.whole() || append(run, stored, file);
        if (exists && !stored.whole() && version + 1 == stored.version() && version > 0) {
            truncate(file, stored.cutAt());
            versions.put(Map.of(stored.name(), stored.version()));
            return append(run, stored, file);
        }
        if (!replace(run, stored, file)) return false;
        versions.put(Map.of(stored.name(), stored.version()));
        return true;
    }

    private boolean append(RunId run, SharedFile stored, Path file) throws IOException {
        try (var channel = PrivateFiles.open(file)) {
            return fetch(run, stored, channel);
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (var channel = PrivateFiles.open(file)) {
            channel.truncate(length);
        }
    }

    /** Downloads the whole file under a temporary name, then renames it. */
    private boolean replace(RunId run, SharedFile stored, Path file) throws IOException {
        var fresh = file.resolveSibling(file.getFileName() + ".mirror");
        try (var channel = PrivateFiles.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            if (!fetch(run, stored, channel)) {
                Files.delete(fresh);
                return false;
            }
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return true;
    }

    private boolean fetch(RunId run, SharedFile stored, java.nio.channels.FileChannel channel) throws IOException {
        long at = channel.size();
        while (at < stored.length()) {
            int most = (int) Math.min(CHUNK, stored.length() - at);
            var bytes = store.read(run, stored.name(), stored.version(), at, most);
            if (bytes.isEmpty()) return false;
            if (bytes.get().length == 0)
                throw new IOException("%s of %s is shorter than its recorded length".formatted(stored.name(), run));
            var buffer = ByteBuffer.wrap(bytes.get());
            while (buffer.hasRemaining()) at += channel.write(buffer, at);
        }
        return true;
    }
}
