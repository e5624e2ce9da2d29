package dev.roost.checks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The pool of JVMs. A JVM that has run a class is kept warm for another class of its module. The pool is limited: the JVM that
 * is idle longest ends first.
 */
final class WorkerPool implements AutoCloseable {

    private final WorkerSettings settings;
    private final Path directory;
    private final int idleAtMost;
    private final Deque<WorkerJvm> idle = new ArrayDeque<>();
    private final List<WorkerJvm> all = new ArrayList<>();
    private final AtomicInteger started = new AtomicInteger();
    private boolean interrupted;

    WorkerPool(WorkerSettings settings, Path directory, int idleAtMost) {
        this.settings = settings;
        this.directory = directory;
        this.idleAtMost = idleAtMost;
        Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
    }

    ClassResult run(CheckEntry entry, Duration limit) throws IOException {
        var worker = idle(entry);
        if (worker.isEmpty()) worker = Optional.of(start(entry));
        var result = worker.get().run(entry, limit, directory.resolve(entry.fileName() + ".log"));
        release(worker.get());
        return result;
    }

    private synchronized Optional<WorkerJvm> idle(CheckEntry entry) {
        idle.removeIf(one -> !one.isAlive());
        var found = idle.stream().filter(one -> one.suits(entry)).findFirst();
        found.ifPresent(idle::remove);
        return found;
    }

    private WorkerJvm start(CheckEntry entry) throws IOException {
        var log = directory.resolve("jvm-%d.log".formatted(started.incrementAndGet()));
        var worker = WorkerJvm.start(entry, settings, log);
        synchronized (this) {
            all.add(worker);
            if (!interrupted) return worker;
        }
        worker.kill();
        throw new IOException("the check was interrupted");
    }

    private synchronized void release(WorkerJvm worker) throws IOException {
        if (!worker.isAlive()) return;
        idle.addFirst(worker);
        if (idle.size() > idleAtMost) idle.removeLast().end();
    }

    /** The number of JVMs started. */
    int count() {
        return started.get();
    }

    private void kill() {
        List<WorkerJvm> left;
        synchronized (this) {
            interrupted = true;
            left = all.stream().filter(WorkerJvm::isAlive).toList();
        }
        left.parallelStream().forEach(WorkerJvm::kill);
    }

    /** Waits until all have ended. */
    @Override
    public void close() throws IOException {
        List<WorkerJvm> ending;
        synchronized (this) {
            for (var one : idle) one.end();
            idle.clear();
            ending = List.copyOf(all);
        }
        ending.forEach(WorkerJvm::await);
    }
}
