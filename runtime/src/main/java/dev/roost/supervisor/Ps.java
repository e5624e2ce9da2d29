package dev.roost.supervisor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** One search by ps and lsof, each run at most once, and not before it is asked for. */
final class Ps implements Kernel.Look {

    static final boolean MAC = System.getProperty("os.name").startsWith("Mac");

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Pattern LINE = Pattern.compile("^ *(\\d+) (.*)$", Pattern.MULTILINE);

    /** Nothing of the caller's changes what they print; in a locale without letters they would hide those of others. */
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "PATH", "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin", "LC_ALL", MAC ? "en_US.UTF-8" : "C.UTF-8");

    private Optional<Map<Long, String>> environments = Optional.empty();
    private final Map<Path, Set<Long>> writers = new HashMap<>();

    /** What a program of the system prints; empty if there is none, or it does not come to an end. */
    static Optional<String> says(String... words) {
        try {
            var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear();
            builder.environment().putAll(ENVIRONMENT);
            var process = builder.start();
            process.getOutputStream().close();
            CompletableFuture.delayedExecutor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(process::destroyForcibly);
            return Optional.of(new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** What stands in this column for that process; empty if it is gone. */
    static String column(String name, long pid) {
        return says("ps", "-o", name + "=", "-p", Long.toString(pid)).orElse("").strip();
    }

    /** The words it was started with, as they come out of ps: with one space between them, and those within them as they are. */
    static String commandLine(long pid) {
        var line = says("ps", "-ww", "-o", "command=", "-p", Long.toString(pid)).orElse("").strip();
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
        return Kernel.Look.super.carries(pid, word.replace(' ', '\0'));
    }

    /** The environment follows the words, so it is what is longer where it is asked for. */
    private static Map<Long, String> environments() {
        var commands = lines("-axww", "pid=,command=");
        var all = new HashMap<Long, String>();
        lines(MAC ? "-axwwE" : "axeww", "pid=,command=").forEach((pid, line) -> {
            var command = commands.get(pid);
            if (command != null && line.startsWith(command)) all.put(pid, words(line.substring(command.length())));
        });
        return all;
    }

    private static Map<Long, String> lines(String which, String columns) {
        var all = new HashMap<Long, String>();
        var line = LINE.matcher(says("ps", which, "-o", columns).orElse(""));
        while (line.find()) all.put(Long.parseLong(line.group(1)), line.group(2).stripTrailing());
        return all;
    }

    @Override
    public boolean writesInto(long pid, Path directory) {
        return writers.computeIfAbsent(directory, Ps::writers).contains(pid);
    }

    private static Set<Long> writers(Path directory) {
        var all = new HashSet<Long>();
        lsof(
                List.of("-F", "pfan", "+D", directory.toString()),
                (pid, _, access, _) -> {
                    if (access == 'w' || access == 'u') all.add(pid);
                });
        return all;
    }

    /** Of the processes of this user. */
    static OpenFiles openFiles() {
        var all = new OpenFiles();
        lsof(List.of("-F", "pfan", "-u", System.getProperty("user.name")), (pid, descriptor, _, name) -> {
            if (!name.startsWith("/")) return;
            if (descriptor.equals("cwd")) all.isIn(Path.of(name), pid);
            else if (Character.isDigit(descriptor.charAt(0))) all.holds(Path.of(name), pid);
        });
        return all;
    }

    private interface Held {
        void by(long pid, String descriptor, char access, String name);
    }

    /** Each line is one field, named by its first letter; that of the name is the last of a file. */
    private static void lsof(List<String> words, Held held) {
        var command = new java.util.ArrayList<>(List.of("lsof", "-w", "-n", "-P"));
        command.addAll(words);
        long pid = -1;
        String descriptor = "";
        char access = ' ';
        for (var line : says(command.toArray(String[]::new)).orElse("").lines().toList()) {
            if (line.isEmpty()) continue;
            var value = line.substring(1);
            switch (line.charAt(0)) {
                case 'p' -> pid = Long.parseLong(value);
                case 'f' -> descriptor = value.isEmpty() ? "?" : value;
                case 'a' -> access = value.isEmpty() ? ' ' : value.charAt(0);
                case 'n' -> held.by(
                        pid,
                        descriptor,
                        access,
                        new String(value.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
                default -> {}
            }
        }
    }
}
