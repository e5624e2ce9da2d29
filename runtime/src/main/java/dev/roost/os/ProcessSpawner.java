package dev.roost.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Starts a program with posix_spawn in a new session, without ignored or blocked signals and without open files of this process.
 * Java's {@code ProcessBuilder} would run two more programs and keep a thread for each child.
 */
public final class ProcessSpawner {

    static {
        Kernel.mustBeLinux(ProcessSpawner.class);
    }

    private static final MethodHandle MISSING = MethodHandles.empty(MethodType.methodType(void.class));

    private static final MethodHandle POSIX_SPAWN =
            handle("posix_spawn", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    private static final MethodHandle ACTIONS_INIT = handle("posix_spawn_file_actions_init", ADDRESS);
    private static final MethodHandle ACTIONS_DESTROY = handle("posix_spawn_file_actions_destroy", ADDRESS);
    private static final MethodHandle ADD_OPEN =
            handle("posix_spawn_file_actions_addopen", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle ADD_CHDIR = handle("posix_spawn_file_actions_addchdir_np", ADDRESS, ADDRESS);
    private static final MethodHandle ADD_CLOSE_FROM =
            handle("posix_spawn_file_actions_addclosefrom_np", ADDRESS, JAVA_INT);
    private static final MethodHandle ATTRIBUTES_INIT = handle("posix_spawnattr_init", ADDRESS);
    private static final MethodHandle SET_FLAGS = handle("posix_spawnattr_setflags", ADDRESS, JAVA_SHORT);
    private static final MethodHandle SET_MASK = handle("posix_spawnattr_setsigmask", ADDRESS, ADDRESS);
    private static final MethodHandle SET_DEFAULT = handle("posix_spawnattr_setsigdefault", ADDRESS, ADDRESS);
    private static final MethodHandle WAITPID = handle("waitpid", JAVA_INT, ADDRESS, JAVA_INT);

    private static final short SETSIGDEF_SETSIGMASK_SETSID = 0x04 | 0x08 | 0x80;
    private static final long SIGNALS =
            -1; // including the two signals that the C library reserves, which it would leave ignored
    private static final int WRITE_TO_DISK = 0x101001; // O_WRONLY | O_SYNC
    private static final int READ_AND_WRITE = 2;
    private static final int NO_HANG = 1; // WNOHANG
    private static final int STRUCT_SIZE = 512; // an upper bound of each structure

    /** Whether all functions exist, the constants above apply, and pidfds report exits, so that children are reaped. */
    static final boolean WORKS = Set.of("amd64", "aarch64").contains(System.getProperty("os.arch"))
            && Stream.of(POSIX_SPAWN, ACTIONS_INIT, ACTIONS_DESTROY, ADD_OPEN, ADD_CHDIR, ADD_CLOSE_FROM)
                    .noneMatch(MISSING::equals)
            && Stream.of(ATTRIBUTES_INIT, SET_FLAGS, SET_MASK, SET_DEFAULT, WAITPID)
                    .noneMatch(MISSING::equals)
            && LinuxSyscalls.hasPidfd();

    private static final Charset CHARSET = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    private static final MemorySegment ATTRIBUTES = WORKS ? attributes() : MemorySegment.NULL;

    private static final int REAP_ALL_EVERY = 64;
    private static final Set<Long> CHILDREN = ConcurrentHashMap.newKeySet();
    private static final AtomicInteger STARTS = new AtomicInteger();

    private ProcessSpawner() {}

    private static MethodHandle handle(String name, ValueLayout... parameters) {
        return Libc.LINKER
                .defaultLookup()
                .find(name)
                .map(at -> Libc.LINKER.downcallHandle(at, FunctionDescriptor.of(JAVA_INT, parameters)))
                .orElse(MISSING);
    }

    /** For calls that fail only for lack of memory. */
    private static void require(Libc.NativeCall<Integer> call) {
        int error = Libc.invoke(call);
        if (error != 0) throw new IllegalStateException("a child could not be prepared: " + Libc.message(error));
    }

    /** Built once: every child gets the same attributes. */
    private static MemorySegment attributes() {
        var attributes = Arena.global().allocate(STRUCT_SIZE, 16);
        try (var arena = Arena.ofConfined()) {
            var none = arena.allocate(STRUCT_SIZE, 16);
            var all = arena.allocate(STRUCT_SIZE, 16);
            all.set(JAVA_LONG, 0, SIGNALS);
            require(() -> (int) ATTRIBUTES_INIT.invokeExact(attributes));
            require(() -> (int) SET_FLAGS.invokeExact(attributes, SETSIGDEF_SETSIGMASK_SETSID));
            require(() -> (int) SET_MASK.invokeExact(attributes, none));
            require(() -> (int) SET_DEFAULT.invokeExact(attributes, all));
        }
        return attributes;
    }

    /**
     * Starts {@code words} and returns its pid. Descriptors 0, 1 and 2 are /dev/null; 3 and following are {@code records}, opened
     * with O_SYNC.
     */
    public static long start(List<String> words, Map<String, String> environment, Path directory, List<Path> records)
            throws IOException {
        if (STARTS.incrementAndGet() % REAP_ALL_EVERY == 0) CHILDREN.forEach(ProcessSpawner::reap);
        try (var arena = Arena.ofConfined()) {
            var actions = arena.allocate(STRUCT_SIZE, 16);
            require(() -> (int) ACTIONS_INIT.invokeExact(actions));
            try {
                var nowhere = text(arena, "/dev/null");
                int next = 0;
                for (; next < 3; next++) open(actions, next, nowhere, READ_AND_WRITE);
                for (var record : records) open(actions, next++, text(arena, record.toString()), WRITE_TO_DISK);
                int rest = next;
                require(() -> (int) ADD_CLOSE_FROM.invokeExact(actions, rest));
                var where = text(arena, directory.toString());
                require(() -> (int) ADD_CHDIR.invokeExact(actions, where));
                var pid = arena.allocate(JAVA_INT);
                var argv = texts(arena, words);
                var envp = texts(
                        arena,
                        environment.entrySet().stream()
                                .map(entry -> entry.getKey() + "=" + entry.getValue())
                                .toList());
                var program = argv.get(ADDRESS, 0);
                int error =
                        Libc.invoke(() -> (int) POSIX_SPAWN.invokeExact(pid, program, actions, ATTRIBUTES, argv, envp));
                if (error != 0) throw new SpawnException(words.getFirst(), directory, error);
                long child = pid.get(JAVA_INT, 0);
                CHILDREN.add(child);
                return child;
            } finally {
                Libc.invoke(() -> (int) ACTIONS_DESTROY.invokeExact(actions));
            }
        }
    }

    private static void open(MemorySegment actions, int descriptor, MemorySegment file, int flags) {
        require(() -> (int) ADD_OPEN.invokeExact(actions, descriptor, file, flags, 0));
    }

    private static MemorySegment texts(Arena arena, List<String> texts) throws IOException {
        var array = arena.allocate(ADDRESS, texts.size() + 1L); // the last entry stays null
        for (int i = 0; i < texts.size(); i++) array.setAtIndex(ADDRESS, i, text(arena, texts.get(i)));
        return array;
    }

    private static MemorySegment text(Arena arena, String text) throws IOException {
        if (text.indexOf('\0') >= 0) throw new IOException("the arguments or the environment contain a NUL character");
        var bytes = text.getBytes(CHARSET);
        var copy = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return copy;
    }

    /** Reaps a child that has ended; ignores other processes. */
    static void reap(long pid) {
        if (!CHILDREN.contains(pid)) return;
        int answer = Libc.invoke(() -> (int) WAITPID.invokeExact((int) pid, MemorySegment.NULL, NO_HANG));
        if (answer != 0) CHILDREN.remove(pid); // reaped now, or no child any more
    }

    /** The error with which the kernel refused to start a program. */
    static final class SpawnException extends IOException {
        private static final long serialVersionUID = 1;

        SpawnException(String program, Path directory, int error) {
            super("%s could not be started in %s: error %d, %s"
                    .formatted(program, directory, error, Libc.message(error)));
        }
    }
}
