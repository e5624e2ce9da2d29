package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The open sessions from Claude Code's own records, without the stale records of killed sessions. */
record ClaudeProcesses(List<Session> open) {

    record Session(String id, long pid, Instant began) {}

    static ClaudeProcesses in(Path folder) {
        var open = new ArrayList<Session>();
        try {
            for (var file : DirectoryEntries.list(folder, "*.json")) {
                var json = JsonLinesFile.whole(file);
                if (json.isEmpty()) continue;
                long pid = json.get().path("pid").asLong(0);
                if (!LiveProcesses.isSame(pid, json.get().path("procStart").asString(""))) continue;
                open.add(new Session(
                        json.get().path("sessionId").asString(""),
                        pid,
                        Instant.ofEpochMilli(json.get().path("startedAt").asLong(0))));
            }
        } catch (IOException e) {
            return new ClaudeProcesses(List.of());
        }
        return new ClaudeProcesses(open);
    }

    /** The process of this session, if it started no later than {@code by}. */
    Optional<Long> of(String session, Instant by) {
        return open.stream()
                .filter(one -> one.id().equals(session) && !one.began().isAfter(by))
                .map(Session::pid)
                .findFirst();
    }
}
