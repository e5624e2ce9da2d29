package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A pidfd becomes readable when its process ends: by epoll, one thread for all. */
final class PidfdExits implements Exits {

    static {
        Kernel.mustBeLinux(PidfdExits.class);
    }

    private static final long CLOSED = 0;

    private record Watch(long pid, int pidfd, Runnable then) {}

    private final int epoll;
    private final Map<Long, Watch> watched = new ConcurrentHashMap<>();
    private final AtomicLong tokens = new AtomicLong();
    private final Thread thread;

    PidfdExits(int epoll) {
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
