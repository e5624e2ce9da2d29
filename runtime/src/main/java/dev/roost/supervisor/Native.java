package dev.roost.supervisor;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The few calls of Linux that Java has no words for. Each returns the kernel's answer, or minus errno. */
final class Native {

    static final int ESRCH = 3;
    static final int SIGINT = 2;
    static final int SIGQUIT = 3;
    static final int SIGTERM = 15;
    static final int SIGKILL = 9;
    static final int SIGCONT = 18;
    static final boolean LINUX = System.getProperty("os.name").equals("Linux");

    private static final int PIDFD_SEND_SIGNAL = 424;
    private static final int PIDFD_OPEN = 434;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLLIN = 1;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int LONGEST_WORDS = 256;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle EPOLL_CREATE = handle("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CTL =
            handle("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle EPOLL_WAIT =
            handle("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle EVENTFD = handle("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOCK_GETTIME =
            handle("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle SIGNAL = handle("signal", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SETSID = handle("setsid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    /** struct epoll_event is packed on x86-64 and padded elsewhere. */
    private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");

    private static final long EVENT_SIZE = PACKED ? 12 : 16;
    private static final long EVENT_DATA = PACKED ? 4 : 8;

    private Native() {}

    private static MethodHandle handle(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), shape, Linker.Option.captureCallState("errno"));
    }

    private interface Call {
        long invoke(MemorySegment state) throws Throwable;
    }

    private static int call(Call call) {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long answer = call.invoke(state);
            return answer >= 0 ? (int) answer : -(int) ERRNO.get(state, 0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static int pidfdOpen(long pid) {
        return call(state -> (long) SYSCALL.invokeExact(state, (long) PIDFD_OPEN, pid, 0L, MemorySegment.NULL, 0L));
    }

    /** Older kernels have none. */
    static boolean hasPidfd() {
        int probe = LINUX ? pidfdOpen(ProcessHandle.current().pid()) : -1;
        if (probe >= 0) close(probe);
        return probe >= 0;
    }

    /** What an errno means. */
    static String words(int error) {
        try {
            return ((MemorySegment) STRERROR.invokeExact(error))
                    .reinterpret(LONGEST_WORDS)
                    .getString(0);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static int pidfdSendSignal(int pidfd, int signal) {
        return call(state -> (long) SYSCALL.invokeExact(
                state, (long) PIDFD_SEND_SIGNAL, (long) pidfd, (long) signal, MemorySegment.NULL, 0L));
    }

    static int epollCreate() {
        return call(state -> (int) EPOLL_CREATE.invokeExact(state, CLOSE_ON_EXEC));
    }

    /** Reports {@code token} once {@code fd} is readable. */
    static int epollAdd(int epoll, int fd, long token) {
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_SIZE, 8);
            event.set(JAVA_INT, 0, EPOLLIN);
            event.set(JAVA_LONG_UNALIGNED, EVENT_DATA, token);
            return call(state -> (int) EPOLL_CTL.invokeExact(state, epoll, EPOLL_CTL_ADD, fd, event));
        }
    }
    /** A descriptor that is readable from the start. */
    static int readable() {
        return call(state -> (int) EVENTFD.invokeExact(state, 1, CLOSE_ON_EXEC));
    }

    static int epollRemove(int epoll, int fd) {
        return call(state -> (int) EPOLL_CTL.invokeExact(state, epoll, EPOLL_CTL_DEL, fd, MemorySegment.NULL));
    }

    /** Waits for one of the descriptors and returns its token; negative if there was none. */
    static long epollWait(int epoll) {
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_SIZE, 8);
            int n = call(state -> (int) EPOLL_WAIT.invokeExact(state, epoll, event, 1, -1));
            return n < 1 ? -1 : event.get(JAVA_LONG_UNALIGNED, EVENT_DATA);
        }
    }

    static int close(int fd) {
        return call(state -> (int) CLOSE.invokeExact(state, fd));
    }

    static long monotonicNanos() {
        return clock(1);
    }

    /** Like the monotonic clock, but it goes on while the machine sleeps. */
    static long boottimeNanos() {
        return clock(7);
    }

    private static long clock(int which) {
        try (var arena = Arena.ofConfined()) {
            var time = arena.allocate(16, 8);
            int answer = call(state -> (int) CLOCK_GETTIME.invokeExact(state, which, time));
            if (answer < 0) throw new IllegalStateException("clock %d: errno %d".formatted(which, -answer));
            return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        }
    }

    /** Gives a signal its usual effect, here and in every process started from here. */
    static int byDefault(int signal) {
        return call(state -> (long) SIGNAL.invokeExact(state, signal, 0L));
    }

    static int setsid() {
        return call(state -> (int) SETSID.invokeExact(state));
    }
}
