package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Tells when a process has ended, whether it is our child or not: by pidfd and epoll, one thread for all. */
public interface Exits extends AutoCloseable {

    /** Runs {@code then} once the process is gone; at once if it is already. */
    void watch(ProcessId id, Runnable then);

    /** Whether ends are told as they happen. */
    boolean immediate();

    @Override
    void close();

    /** The quickest means this machine has. */
    static Exits open() {
        return Native.hasPidfd() ? new ByPidfd(Native.epollCreate()) : new ByProcessHandle();
    }

    /** For machines without pidfd. The sweep stands behind it: this one may take seconds. */
    final class ByProcessHandle implements Exits {
        @Override
        public void watch(ProcessId id, Runnable then) {
            Optional<ProcessHandle> process = Processes.alive(id) ? ProcessHandle.of(id.pid()) : Optional.empty();
            process.ifPresentOrElse(
                    handle -> {
                        var _ = handle.onExit().thenRun(then);
                    },
                    then);
        }

        @Override
        public boolean immediate() {
            return false;
        }

        @Override
        public void close() {}
    }

    /** A pidfd becomes readable when its process ends. */
    final class ByPidfd implements Exits {
        private static final long CLOSED = 0;

        private record Watch(long pid, int pidfd, Runnable then) {}

        private final int epoll;
        private final Map<Long, Watch> watched = new ConcurrentHashMap<>();
        private final AtomicLong tokens = new AtomicLong();
        private final Thread thread;

        ByPidfd(int epoll) {
            this.epoll = epoll;
            this.thread = Thread.ofPlatform().daemon().name("roost-exits").start(this::loop);
        }

        @Override
        public void watch(ProcessId id, Runnable then) {
            int pidfd = Native.pidfdOpen(id.pid());
            if (pidfd < 0) {
                then.run();
            } else if (!Processes.alive(id)) {
                Native.close(pidfd);
                Spawn.reap(id.pid());
                then.run();
            } else {
                long token = tokens.incrementAndGet();
                watched.put(token, new Watch(id.pid(), pidfd, then));
                Native.epollAdd(epoll, pidfd, token);
            }
        }

        private void loop() {
            while (true) {
                long token = Native.epollWait(epoll);
                if (token == CLOSED) break;
                var watch = watched.remove(token);
                if (watch == null) continue; // interrupted
                release(watch);
                Spawn.reap(watch.pid);
                watch.then.run();
            }
            watched.values().forEach(this::release);
            Native.close(epoll);
        }

        /** A child being forked at this moment shares the pidfd, so closing it alone would not end its reports. */
        private void release(Watch watch) {
            Native.epollRemove(epoll, watch.pidfd);
            Native.close(watch.pidfd);
        }

        @Override
        public boolean immediate() {
            return true;
        }

        @Override
        public void close() {
            int wake = Native.readable();
            Native.epollAdd(epoll, wake, CLOSED);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Native.close(wake);
        }
    }
}
