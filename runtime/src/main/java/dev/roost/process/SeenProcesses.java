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

/** The known processes of an attempt, stored for the next daemon: one line each, with pid, start time and boot id. */
record SeenProcesses(Path file) {

    private static final System.Logger LOG = System.getLogger(SeenProcesses.class.getName());
    private static final Pattern LINE = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\S+)");

    /** The processes of this boot; those of earlier boots no longer exist. */
    Set<ProcessId> ofThisBoot() throws IOException {
        var boot = Processes.bootId();
        var processes = new HashSet<ProcessId>();
        for (var line : PrivateFiles.read(file).orElse("").lines().toList()) {
            var fields = LINE.matcher(line);
            if (fields.matches() && fields.group(3).equals(boot))
                processes.add(new ProcessId(Long.parseLong(fields.group(1)), Long.parseLong(fields.group(2))));
        }
        return processes;
    }

    /** Appends processes. A failure is only logged: the next daemon then knows fewer processes. */
    void add(Collection<ProcessId> processes) {
        if (processes.isEmpty()) return;
        var boot = Processes.bootId();
        var lines = new StringBuilder();
        for (var id : processes) lines.append("%d %d %s%n".formatted(id.pid(), id.startTicks(), boot));
        try (var channel = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "{0} could not be written: {1}", file, e);
        }
    }
}
