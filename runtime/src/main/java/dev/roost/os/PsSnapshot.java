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

/** One search by ps and lsof, each run at most once, and not before it is asked for. */
final class PsSnapshot implements Kernel.ProcessScan {

    static final boolean MAC = System.getProperty("os.name").startsWith("Mac");

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int KILLED = 128; // and the signal; one that found nothing ends with less
    private static final Pattern TIME = Pattern.compile("(?:(?:(\\d+)-)?(\\d+):)?(\\d+):(\\d+)(?:\\.(\\d\\d))?");
    private static final Pattern LINE = Pattern.compile("^ *(\\d+) (.*)$", Pattern.MULTILINE);

    /** Nothing of the caller's changes what they print; in a locale without letters they would hide those of others. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", ProgramPath.SYSTEM, "LC_ALL", MAC ? "en_US.UTF-8" : "C.UTF-8");

    private static final System.Logger LOG = System.getLogger(PsSnapshot.class.getName());

    private Optional<Map<Long, String>> environments = Optional.empty();
    private final Map<Long, Set<String>> written = new HashMap<>();
    private List<String> unseen = List.of();

    /** Its file; Java itself would look on the PATH alone that we were started with. */
    static String program(String name) {
        var places = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + ProgramPath.SYSTEM;
        return Stream.of(places.split(File.pathSeparator, -1))
                .filter(place -> place.startsWith("/"))
                .map(place -> Path.of(place, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .map(Path::toString)
                .findFirst()
                .orElse(name);
    }

    /** What a program of the system prints; empty if there is none, or twice it did not come to an end. */
    static Optional<String> output(String... words) {
        return outputOnce(words).or(() -> outputOnce(words));
    }

    private static Optional<String> outputOnce(String... words) {
        try {
            var command = new ArrayList<>(List.of(words));
            command.set(0, program(words[0]));
            var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear();
            builder.environment().putAll(ENVIRONMENT);
            var process = builder.start();
            process.getOutputStream().close();
            CompletableFuture.delayedExecutor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(process::destroyForcibly);
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return process.waitFor() > KILLED ? Optional.empty() : Optional.of(said);
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** The same, where silence would be taken for "nobody": it is made known. */
    private Optional<String> requiredOutput(String... words) {
        var said = output(words);
        if (said.isEmpty()) silent(words[0]);
        return said;
    }

    private void silent(String program) {
        unseen = List.of("perhaps others, since %s did not answer".formatted(program));
        LOG.log(System.Logger.Level.WARNING, "{0} does not answer, so processes may go unseen", program);
    }

    @Override
    public List<String> unseen() {
        return unseen;
    }

    /** Processor time that these have used, all together. */
    static long hundredths(Collection<Long> pids) {
        var said = output("ps", "-o", "pid=", "-o", "time=", "-p", list(pids)).orElse("");
        return LINE.matcher(said)
                .results()
                .mapToLong(line -> hundredths(line.group(2).strip()))
                .sum();
    }

    /** {@code [[dd-]hh:]mm:ss[.cc]}: how much of it there is differs from system to system. */
    static long hundredths(String time) {
        var parts = TIME.matcher(time);
        if (!parts.matches()) return 0;
        var number = IntStream.rangeClosed(1, 5)
                .mapToLong(i -> parts.group(i) == null ? 0 : Long.parseLong(parts.group(i)))
                .toArray();
        return (((number[0] * 24 + number[1]) * 60 + number[2]) * 60 + number[3]) * 100 + number[4];
    }

    /** How ps calls its state, nothing if it is gone; empty if that cannot be found out. */
    static Optional<String> state(long pid) {
        return output("ps", "-o", "stat=", "-p", Long.toString(pid)).map(String::strip);
    }

    /** The words it was started with, as they come out of ps: with one space between them, and those within them as they are. */
    static String commandLine(long pid) {
        var line = output("ps", "-ww", "-o", "command=", "-p", Long.toString(pid))
                .orElse("")
                .strip();
        return line.isEmpty() ? "" : words(line);
    }

    /** No word of ours that is looked for has a space in it; where one has, {@link #carries} knows. */
    private static String words(String line) {
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

    /** The environment follows the words, in one line: it counts where nothing like it is among those. */
    private Map<Long, String> environments() {
        var all = lines(MAC ? "-axwwE" : "axeww");
        if (all.isEmpty() && unseen.isEmpty()) silent("ps"); // we at least are there
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
        all.replaceAll((_, line) -> words(line));
        return all;
    }

    /** Whether Java knows its words, and none is ours: that takes no program to find out, and who hides may be gone before one runs. */
    private static boolean hasForeignArguments(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().arguments())
                .filter(words -> Stream.of(words).noneMatch(word -> word.contains("ROOST_")))
                .isPresent();
    }

    private static String list(Collection<Long> pids) {
        return pids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** An {@code -o} for each column: elsewhere than on Linux all after the first equals sign is a title. */
    private Map<Long, String> lines(String... options) {
        var columns = Stream.of("-o", "pid=", "-o", "command=");
        var words = Stream.of(Stream.of("ps"), Stream.of(options), columns).flatMap(all -> all);
        var all = new HashMap<Long, String>();
        var line = LINE.matcher(requiredOutput(words.toArray(String[]::new)).orElse(""));
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

    /** Of the processes of this user. */
    static OpenFiles openFiles() {
        var look = new PsSnapshot();
        var all = new OpenFiles();
        boolean anybody = look.lsof(List.of("-u", System.getProperty("user.name")), (pid, descriptor, _, name) -> {
            if (!name.startsWith("/")) return;
            if (descriptor.equals("cwd")) all.isIn(Path.of(name), pid);
            else if (Character.isDigit(descriptor.charAt(0))) all.holds(Path.of(name), pid);
        });
        return anybody ? all : OpenFiles.unknown("lsof"); // we at least are there
    }

    private interface OpenFileHandler {
        void accept(long pid, String descriptor, char access, String name);
    }

    /** Each line is one field, named by its first letter; that of the name is the last of a file. False if it knows of nobody. */
    private boolean lsof(List<String> words, OpenFileHandler held) {
        var command = new ArrayList<>(List.of("lsof", "-w", "-n", "-P", "-F", "pfan"));
        command.addAll(words);
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
                    held.accept(
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
