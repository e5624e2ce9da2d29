package dev.roost.cli.watch;

import dev.roost.cli.view.RunEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The last output line of each run; rereads a file only if its size changed. */
final class LastOutputLines {

    private static final int TAIL = 2048;

    private record ReadState(long size, String line) {}

    private Map<String, ReadState> seen = new HashMap<>();

    /** Of live runs only; an ended run has its result. */
    Map<String, String> of(List<RunEntry> runs) {
        var now = new HashMap<String, ReadState>();
        var lines = new HashMap<String, String>();
        for (var run : runs) {
            if (run.ended() || !run.has("started_at")) continue;
            var last = read(Path.of(run.text("output_file")), seen.get(run.id()));
            now.put(run.id(), last);
            lines.put(run.id(), last.line());
        }
        seen = now;
        return lines;
    }

    private static ReadState read(Path file, @Nullable ReadState before) {
        try (var channel = FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            long size = channel.size();
            if (before != null && before.size() == size) return before;
            var bytes = ByteBuffer.allocate((int) Math.min(size, TAIL));
            channel.read(bytes, size - bytes.capacity());
            var text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).stripTrailing();
            return new ReadState(size, text.substring(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1));
        } catch (IOException e) {
            return new ReadState(-1, "");
        }
    }
}
