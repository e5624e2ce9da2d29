package dev.roost.os;

import dev.roost.model.ProcessId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Watches processes by pidfd, which becomes readable when its process ends: one thread with epoll for all. */
final class PidfdExitWatcher implements ExitWatcher {

    static {
        Kernel.mustBeLinux(PidfdExitWatcher.class);
    }

    private static final long CLOSED = 0;

    private record ExitWatch(long pid, int pidfd, Runnable then) {}

    private final int epoll;
    private final Map<Long, ExitWatch> watched = new ConcurrentHashMap<>();
    private final AtomicLong tokens = new AtomicLong();
    private final Thread thread;

    PidfdExitWatcher(int epoll) {
        this.epoll = epoll;
        this.thread = Thread.ofPlatform().daemon().name("roost-exits").start(this::loop);
    }

    @Override
    public void watch(ProcessId id, Runnable then) {
        int pidfd = LinuxSyscalls.pidfdOpen(id.pid());
        if (pidfd < 0) {
            then.run();
        } else if (!Processes.alive(id)) {
            LinuxSyscalls.close(pidfd);
            ProcessSpawner.reap(id.pid());
            then.run();
        } else {
            long token = tokens.incrementAndGet();
            watched.put(token, new ExitWatch(id.pid(), pidfd, then));
            LinuxSyscalls.epollAdd(epoll, pidfd, token);
        }
    }

    private void loop() {
        while (true) {
            long token = LinuxSyscalls.epollWait(epoll);
            if (token == CLOSED) break;
            var watch = watched.remove(token);
            if (watch == null) continue; // interrupted
            release(watch);
            ProcessSpawner.reap(watch.pid);
            watch.then.run();
        }
        watched.values().forEach(this::release);
        LinuxSyscalls.close(epoll);
    }

    /** Removes the pidfd from epoll first: a child that is being forked shares it, so close alone would not end the events. */
    private void release(ExitWatch watch) {
        LinuxSyscalls.epollRemove(epoll, watch.pidfd);
        LinuxSyscalls.close(watch.pidfd);
    }

    @Override
    public boolean immediate() {
        return true;
    }

    @Override
    public void close() {
        int wake = LinuxSyscalls.readable();
        LinuxSyscalls.epollAdd(epoll, wake, CLOSED);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LinuxSyscalls.close(wake);
    }
}
