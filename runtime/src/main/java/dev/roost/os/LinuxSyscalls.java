package dev.roost.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Linux calls that Java does not offer. Each returns the kernel's result, or minus errno. */
final class LinuxSyscalls {

    static {
        Kernel.mustBeLinux(LinuxSyscalls.class);
    }

    static final int ESRCH = 3;

    private static final int PIDFD_SEND_SIGNAL = 424;
    private static final int PIDFD_OPEN = 434;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLLIN = 1;
    private static final int CLOSE_ON_EXEC = 0x80000;

    private static final MethodHandle SYSCALL = Libc.LINKER.downcallHandle(
            Libc.LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle EPOLL_CREATE =
            Libc.handle("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CTL =
            Libc.handle("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle EPOLL_WAIT =
            Libc.handle("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle EVENTFD =
            Libc.handle("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOSE = Libc.handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    /** struct epoll_event is packed on x86-64 and padded elsewhere. */
    private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");

    private static final long EVENT_SIZE = PACKED ? 12 : 16;
    private static final long EVENT_DATA = PACKED ? 4 : 8;

    private LinuxSyscalls() {}

    static int pidfdOpen(long pid) {
        return Libc.call(
                state -> (long) SYSCALL.invokeExact(state, (long) PIDFD_OPEN, pid, 0L, MemorySegment.NULL, 0L));
    }

    /** Whether the kernel has pidfds; older kernels do not. */
    static boolean hasPidfd() {
        int probe = pidfdOpen(ProcessHandle.current().pid());
        if (probe >= 0) close(probe);
        return probe >= 0;
    }

    static int pidfdSendSignal(int pidfd, int signal) {
        return Libc.call(state -> (long) SYSCALL.invokeExact(
                state, (long) PIDFD_SEND_SIGNAL, (long) pidfd, (long) signal, MemorySegment.NULL, 0L));
    }

    static int epollCreate() {
        return Libc.call(state -> (int) EPOLL_CREATE.invokeExact(state, CLOSE_ON_EXEC));
    }

    /** Reports {@code token} once {@code fd} is readable. */
    static int epollAdd(int epoll, int fd, long token) {
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_SIZE, 8);
            event.set(JAVA_INT, 0, EPOLLIN);
            event.set(JAVA_LONG_UNALIGNED, EVENT_DATA, token);
            return Libc.call(state -> (int) EPOLL_CTL.invokeExact(state, epoll, EPOLL_CTL_ADD, fd, event));
        }
    }

    /** A new descriptor that is readable from the start. */
    static int readable() {
        return Libc.call(state -> (int) EVENTFD.invokeExact(state, 1, CLOSE_ON_EXEC));
    }

    static int epollRemove(int epoll, int fd) {
        return Libc.call(state -> (int) EPOLL_CTL.invokeExact(state, epoll, EPOLL_CTL_DEL, fd, MemorySegment.NULL));
    }

    /** Waits for one of the descriptors and returns its token; negative if the wait was interrupted. */
    static long epollWait(int epoll) {
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_SIZE, 8);
            int n = Libc.call(state -> (int) EPOLL_WAIT.invokeExact(state, epoll, event, 1, -1));
            return n < 1 ? -1 : event.get(JAVA_LONG_UNALIGNED, EVENT_DATA);
        }
    }

    static int close(int fd) {
        return Libc.call(state -> (int) CLOSE.invokeExact(state, fd));
    }

    static long monotonicNanos() {
        return Libc.clock(1);
    }

    /** Like the monotonic clock, but advances while the machine sleeps. */
    static long boottimeNanos() {
        return Libc.clock(7);
    }
}
