package dev.roost.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** POSIX calls that Java does not offer. Each returns the kernel's result, or minus errno. */
final class Libc {

    static final int SIGINT = 2;
    static final int SIGQUIT = 3;
    static final int SIGTERM = 15;

    static final Linker LINKER = Linker.nativeLinker();
    private static final int MAX_MESSAGE = 256;
    private static final int SIGACTION_SIZE = 512; // an upper bound of struct sigaction on every system
    private static final long IGNORED = 1; // SIG_IGN

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle CLOCK_GETTIME =
            handle("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle SIGNAL = handle("signal", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SIGACTION =
            handle("sigaction", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle KILL = handle("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SETSID = handle("setsid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle GETSID = handle("getsid", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Libc() {}

    static MethodHandle handle(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), shape, Linker.Option.captureCallState("errno"));
    }

    interface NativeCall<T> {
        T invoke() throws Throwable;
    }

    static <T> T invoke(NativeCall<T> call) {
        try {
            return call.invoke();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    interface SystemCall {
        long invoke(MemorySegment state) throws Throwable;
    }

    static int call(SystemCall call) {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long answer = invoke(() -> call.invoke(state));
            return answer >= 0 ? (int) answer : -(int) ERRNO.get(state, 0L);
        }
    }

    /** The message of an errno. */
    static String message(int error) {
        var message = invoke(() -> (MemorySegment) STRERROR.invokeExact(error));
        return message.reinterpret(MAX_MESSAGE).getString(0);
    }

    static long clock(int which) {
        try (var arena = Arena.ofConfined()) {
            var time = arena.allocate(16, 8);
            int answer = call(state -> (int) CLOCK_GETTIME.invokeExact(state, which, time));
            if (answer < 0) throw new IllegalStateException("clock %d: errno %d".formatted(which, -answer));
            return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        }
    }

    static int kill(long pid, int signal) {
        return call(state -> (int) KILL.invokeExact(state, (int) pid, signal));
    }

    /** Whether this process ignores a signal. The handler is the first field of struct sigaction on every system. */
    static boolean ignores(int signal) {
        try (var arena = Arena.ofConfined()) {
            var old = arena.allocate(SIGACTION_SIZE, 16);
            int answer = call(state -> (int) SIGACTION.invokeExact(state, signal, MemorySegment.NULL, old));
            return answer >= 0 && old.get(JAVA_LONG, 0) == IGNORED;
        }
    }

    /** Resets a signal to its default action, in this process and in its later children. */
    static int resetToDefault(int signal) {
        return call(state -> (long) SIGNAL.invokeExact(state, signal, 0L));
    }

    static int setsid() {
        return call(state -> (int) SETSID.invokeExact(state));
    }

    static int getsid(long pid) {
        return call(state -> (int) GETSID.invokeExact(state, (int) pid));
    }
}
