package dev.roost.process;

import dev.roost.home.PrivateFiles;
import dev.roost.model.ProcessId;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Processes that were seen to be an attempt's, kept for the next daemon: a line each, with pid, start time and boot. */
record SeenProcesses(Path file) {

    private static final System.Logger LOG = System.getLogger(SeenProcesses.class.getName());
    private static final Pattern LINE = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\S+)");

    /** Those of earlier boots are gone. */
    Set<ProcessId> ofThisBoot() throws IOException {
        var boot = Processes.bootId();
        var all = new HashSet<ProcessId>();
        for (var line : PrivateFiles.read(file).orElse("").lines().toList()) {
            var words = LINE.matcher(line);
            if (words.matches() && words.group(3).equals(boot))
                all.add(new ProcessId(Long.parseLong(words.group(1)), Long.parseLong(words.group(2))));
        }
        return all;
    }

    /** A disk that cannot take them costs only what the next daemon would have known. */
    void add(Collection<ProcessId> processes) {
        if (processes.isEmpty()) return;
        var boot = Processes.bootId();
        var lines = new StringBuilder();
        for (var id : processes) lines.append("%d %d %s%n".formatted(id.pid(), id.startTicks(), boot));
        try (var channel = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "{0} was not written: {1}", file, e);
        }
    }
}
