package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.agents.AgentCliCatalog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A minimal Debian with an ordinary user, ann. Its processes end with it. */
public final class MinimalDebian implements AutoCloseable {

    private final Path root;
    private final Process holder;
    private final long first;

    private MinimalDebian(Path root, Process holder, long first) {
        this.root = root;
        this.holder = holder;
        this.first = first;
    }

    /** The output of a command, on both streams. */
    public record Said(int exit, String text) {}

    /** {@code shown}: files and directories of this machine to mount there, by their path. */
    public static MinimalDebian fresh(Map<String, Path> shown) throws IOException, InterruptedException {
        var root = Files.createTempDirectory(Path.of("/var/tmp"), "roost-root-");
        done("cp", "-a", base() + "/.", root.toString());
        done("chroot", root.toString(), "useradd", "-m", "-s", "/bin/sh", "-u", "1000", "ann");
        var mounts = new ArrayList<String>(List.of("set -e", "mount -t proc proc proc", "mount --rbind /dev dev"));
        for (var one : shown.entrySet()) {
            var place = root.resolve(one.getKey().substring(1));
            Files.createDirectories(place.getParent());
            if (Files.isDirectory(one.getValue())) Files.createDirectories(place);
            else Files.createFile(place);
            mounts.add("mount --bind -o ro '%s' '%s'".formatted(one.getValue(), place));
        }
        mounts.add("echo ready; exec sleep infinity");
        var holder = new ProcessBuilder(
                        "unshare", "-m", "-p", "-f", "--kill-child", "sh", "-c", String.join("\n", mounts))
                .directory(root.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(holder.inputReader().readLine()).isEqualTo("ready");
        return new MinimalDebian(
                root, holder, holder.children().findFirst().orElseThrow().pid());
    }

    /** Created once and kept, because it takes half a minute. */
    private static Path base() throws IOException, InterruptedException {
        var base = AgentCliCatalog.cache().resolveSibling("bookworm-minbase");
        if (Files.isDirectory(base)) return base;
        Files.createDirectories(base.getParent());
        var fresh = Files.createTempDirectory(base.getParent(), "bookworm");
        done("debootstrap", "--variant=minbase", "bookworm", fresh.toString());
        done("chmod", "755", fresh.toString());
        return Files.move(fresh, base);
    }

    private static void done(String... words) throws IOException, InterruptedException {
        var output = run(new ProcessBuilder(words));
        assertThat(output.exit()).as(output.text()).isZero();
    }

    private static Said run(ProcessBuilder builder) throws IOException, InterruptedException {
        var process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), text);
    }

    /** Copies a file into ann's directory. */
    public void give(Path file) throws IOException, InterruptedException {
        done("cp", file.toString(), root.resolve("home/ann").toString());
    }

    public Said ann(String script) throws IOException, InterruptedException {
        return ann(Map.of(), script);
    }

    public Said ann(Map<String, String> variables, String script) throws IOException, InterruptedException {
        var environment = new TreeMap<>(variables);
        environment.put("HOME", "/home/ann");
        environment.put("USER", "ann");
        environment.putIfAbsent("PATH", "/home/ann/.local/bin:/usr/local/bin:/usr/bin:/bin");
        return as("1000:1000", environment, "cd; " + script);
    }

    public Said administrator(String script) throws IOException, InterruptedException {
        return as("0:0", Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "HOME", "/root"), script);
    }

    /** The output of a command that must succeed. */
    public String annGets(String script) throws IOException, InterruptedException {
        var output = ann(script);
        assertThat(output.exit()).as(script + "\n" + output.text()).isZero();
        return output.text();
    }

    private Said as(String user, Map<String, String> environment, String script)
            throws IOException, InterruptedException {
        var words = new ArrayList<String>(List.of("nsenter", "-t", Long.toString(first), "-m", "-p"));
        words.addAll(List.of("chroot", "--userspec=" + user, root.toString(), "/usr/bin/env", "-i"));
        environment.forEach((name, value) -> words.add(name + "=" + value));
        words.addAll(List.of("/bin/sh", "-c", script));
        return run(new ProcessBuilder(words));
    }

    /** All files and directories below this one, by relative path. */
    public SortedSet<String> files(String directory) throws IOException {
        var top = root.resolve(directory);
        try (var all = Files.walk(top)) {
            return all.map(file -> top.relativize(file).toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Override
    public void close() throws IOException {
        // and with it the first process inside, and thereby all others
        holder.destroyForcibly().onExit().join();
        new ProcessBuilder("rm", "-rf", "--one-file-system", root.toString())
                .inheritIO()
                .start()
                .onExit()
                .join();
    }
}
