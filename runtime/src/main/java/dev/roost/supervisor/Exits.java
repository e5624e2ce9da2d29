package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Tells when a process that is not our child has ended: by pidfd and epoll, one thread for all. */
public interface Exits extends AutoCloseable {

    /** Runs {@code then} once the process is gone; at once if it is already. */
    void watch(ProcessId id, Runnable then);

    @Override
    void close();

    /** The quickest means this machine has. */
    static Exits open() {
        if (Native.LINUX) {
            int probe = Native.pidfdOpen(ProcessHandle.current().pid());
            if (probe >= 0) {
                Native.close(probe);
                return new ByPidfd(Native.epollCreate());
            }
        }
        return new ByProcessHandle();
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
        public void close() {}
    }

    /** A pidfd becomes readable when its process ends. */
    final class ByPidfd implements Exits {
        private final int epoll;
        private final Map<Integer, Runnable> watched = new ConcurrentHashMap<>();

        ByPidfd(int epoll) {
            this.epoll = epoll;
            Thread.ofPlatform().daemon().name("roost-exits").start(this::loop);
        }

        @Override
        public void watch(ProcessId id, Runnable then) {
            int pidfd = Native.pidfdOpen(id.pid());
            if (pidfd < 0) {
                then.run();
            } else if (!Processes.alive(id)) {
                Native.close(pidfd);
                then.run();
            } else {
                watched.put(pidfd, then);
                Native.epollAdd(epoll, pidfd);
            }
        }

        private void loop() {
            while (true) {
                int pidfd = Native.epollWait(epoll);
                if (pidfd < 0) continue; // interrupted
                var then = watched.remove(pidfd);
                Native.close(pidfd);
                if (then != null) then.run();
            }
        }

        @Override
        public void close() {
            watched.clear(); // the thread is a daemon and holds nothing else
        }
    }
}
