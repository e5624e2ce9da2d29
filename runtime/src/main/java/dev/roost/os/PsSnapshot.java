package dev.roost.os;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One scan with ps and lsof. Each program runs at most once, when its result is first needed. */
final class PsSnapshot implements Kernel.ProcessScan {

    static final boolean MAC = System.getProperty("os.name").startsWith("Mac");

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int KILLED = 128; // plus the signal; a program that finds nothing exits with a lower status
    private static final Pattern TIME = Pattern.compile("(?:(?:(\\d+)-)?(\\d+):)?(\\d+):(\\d+)(?:\\.(\\d\\d))?");
    private static final Pattern LINE = Pattern.compile("^ *(\\d+) (.*)$", Pattern.MULTILINE);

    /** A fixed environment, so that the caller's does not change the output. The C locale would mask letters outside ASCII. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", ProgramPath.SYSTEM, "LC_ALL", MAC ? "en_US.UTF-8" : "C.UTF-8");

    private static final System.Logger LOG = System.getLogger(PsSnapshot.class.getName());

    private Optional<Map<Long, String>> environments = Optional.empty();
    private final Map<Long, Set<String>> written = new HashMap<>();
    private List<String> unseen = List.of();

    /** The path of a program. Java itself would search only the PATH of this process. */
    static String program(String name) {
        var path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + ProgramPath.SYSTEM;
        return Stream.of(path.split(File.pathSeparator, -1))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .map(Path::toString)
                .findFirst()
                .orElse(name);
    }

    /** The output of a system program; empty if the program is missing, or was killed or timed out twice. */
    static Optional<String> output(String... arguments) {
        return outputOnce(arguments).or(() -> outputOnce(arguments));
    }

    private static Optional<String> outputOnce(String... arguments) {
        try {
            var command = new ArrayList<>(List.of(arguments));
            command.set(0, program(arguments[0]));
            var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear();
            builder.environment().putAll(ENVIRONMENT);
            var process = builder.start();
            process.getOutputStream().close();
            CompletableFuture.delayedExecutor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(process::destroyForcibly);
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return process.waitFor() > KILLED ? Optional.empty() : Optional.of(output);
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** The same; a missing answer, which would look like "no process", is logged and recorded. */
    private Optional<String> requiredOutput(String... arguments) {
        var output = output(arguments);
        if (output.isEmpty()) recordNoAnswer(arguments[0]);
        return output;
    }

    private void recordNoAnswer(String program) {
        unseen = List.of("perhaps others, since %s did not answer".formatted(program));
        LOG.log(System.Logger.Level.WARNING, "{0} does not answer, so processes may be missed", program);
    }

    @Override
    public List<String> unseen() {
        return unseen;
    }

    /** The total processor time of these processes. */
    static long hundredths(Collection<Long> pids) {
        var output = output("ps", "-o", "pid=", "-o", "time=", "-p", list(pids)).orElse("");
        return LINE.matcher(output)
                .results()
                .mapToLong(line -> hundredths(line.group(2).strip()))
                .sum();
    }

    /** Parses {@code [[dd-]hh:]mm:ss[.cc]}; systems differ in which parts they print. */
    static long hundredths(String time) {
        var parts = TIME.matcher(time);
        if (!parts.matches()) return 0;
        var number = IntStream.rangeClosed(1, 5)
                .mapToLong(i -> parts.group(i) == null ? 0 : Long.parseLong(parts.group(i)))
                .toArray();
        return (((number[0] * 24 + number[1]) * 60 + number[2]) * 60 + number[3]) * 100 + number[4];
    }

    /** The state that ps prints, "" if the process does not exist; empty if ps does not answer. */
    static Optional<String> state(long pid) {
        return output("ps", "-o", "stat=", "-p", Long.toString(pid)).map(String::strip);
    }

    /** The arguments as ps prints them: separated by one space each, with spaces inside an argument unchanged. */
    static String commandLine(long pid) {
        var line = output("ps", "-ww", "-o", "command=", "-p", Long.toString(pid))
                .orElse("")
                .strip();
        return line.isEmpty() ? "" : nulSeparated(line);
    }

    /** Splits at every space: no argument that Roost looks for has one, and {@link #carries} handles spaces in a word. */
    private static String nulSeparated(String line) {
        return "\0" + line.strip().replace(' ', '\0') + "\0";
    }

    @Override
    public String environment(long pid) {
        if (environments.isEmpty()) environments = Optional.of(environments());
        return environments.get().getOrDefault(pid, "");
    }

    @Override
    public boolean carries(long pid, String word) {
        return Kernel.ProcessScan.super.carries(pid, word.replace(' ', '\0'));
    }

    /**
     * ps prints the environment after the arguments in one line. Where the arguments may contain text like Roost's variables, the
     * command line is printed separately and cut off.
     */
    private Map<Long, String> environments() {
        var all = lines(MAC ? "-axwwE" : "axeww");
        if (all.isEmpty() && unseen.isEmpty()) recordNoAnswer("ps"); // this process at least must be listed
        all.values().removeIf(line -> !line.contains(" ROOST_"));
        var doubtful =
                all.keySet().stream().filter(pid -> !hasForeignArguments(pid)).toList();
        var commands = doubtful.isEmpty() ? Map.<Long, String>of() : lines("-ww", "-p", list(doubtful));
        for (var pid : doubtful) {
            var command = commands.get(pid);
            all.computeIfPresent(
                    pid,
                    (_, line) -> command != null && line.startsWith(command) ? line.substring(command.length()) : null);
        }
        all.replaceAll((_, line) -> nulSeparated(line));
        return all;
    }

    /** Whether Java knows the arguments and none is Roost's. This needs no program, during whose run the process could exit. */
    private static boolean hasForeignArguments(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().arguments())
                .filter(arguments -> Stream.of(arguments).noneMatch(word -> word.contains("ROOST_")))
                .isPresent();
    }

    private static String list(Collection<Long> pids) {
        return pids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Passes an {@code -o} for each column: outside Linux, ps takes everything after the first equals sign as a title. */
    private Map<Long, String> lines(String... options) {
        var columns = Stream.of("-o", "pid=", "-o", "command=");
        var arguments = Stream.of(Stream.of("ps"), Stream.of(options), columns).flatMap(all -> all);
        var all = new HashMap<Long, String>();
        var line = LINE.matcher(requiredOutput(arguments.toArray(String[]::new)).orElse(""));
        while (line.find()) all.put(Long.parseLong(line.group(1)), line.group(2).stripTrailing());
        return all;
    }

    @Override
    public void prepare(Collection<Long> pids) {
        if (pids.isEmpty()) return;
        for (var pid : pids) written.put(pid, new HashSet<>());
        lsof(List.of("-p", list(pids)), (pid, _, access, name) -> {
            if (access == 'w' || access == 'u')
                written.computeIfAbsent(pid, _ -> new HashSet<>()).add(name);
        });
    }

    @Override
    public boolean writesInto(long pid, Path directory) {
        if (!written.containsKey(pid)) prepare(List.of(pid));
        return written.getOrDefault(pid, Set.of()).stream().anyMatch(name -> name.startsWith(directory + "/"));
    }

    /** The open files of the processes of this user. */
    static OpenFiles openFiles() {
        var scan = new PsSnapshot();
        var all = new OpenFiles();
        boolean answered = scan.lsof(List.of("-u", System.getProperty("user.name")), (pid, descriptor, _, name) -> {
            if (!name.startsWith("/")) return;
            if (descriptor.equals("cwd")) all.isIn(Path.of(name), pid);
            else if (Character.isDigit(descriptor.charAt(0))) all.holds(Path.of(name), pid);
        });
        return answered ? all : OpenFiles.unknown("lsof"); // this process at least must be listed
    }

    private interface OpenFileHandler {
        void accept(long pid, String descriptor, char access, String name);
    }

    /** Parses one field from each line, named by its first letter; the name ends a file. False if lsof lists no process. */
    private boolean lsof(List<String> arguments, OpenFileHandler handler) {
        var command = new ArrayList<>(List.of("lsof", "-w", "-n", "-P", "-F", "pfan"));
        command.addAll(arguments);
        long pid = -1;
        String descriptor = "";
        char access = ' ';
        for (var line : requiredOutput(command.toArray(String[]::new))
                .orElse("")
                .lines()
                .toList()) {
            if (line.isEmpty()) continue;
            var value = line.substring(1);
            switch (line.charAt(0)) {
                case 'p' -> pid = Long.parseLong(value);
                case 'f' -> descriptor = value.isEmpty() ? "?" : value;
                case 'a' -> access = value.isEmpty() ? ' ' : value.charAt(0);
                case 'n' ->
                    handler.accept(
                            pid,
                            descriptor,
                            access,
                            new String(value.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
                default -> {}
            }
        }
        return pid >= 0;
    }
}
