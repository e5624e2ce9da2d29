package dev.roost.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Observes all runs on all surfaces, as the operator. */
final class Inspector {

    private static final JsonMapper JSON = new JsonMapper();

    private final ChaosHome home;
    private final RoostAccess access;
    private final Set<String> harmed;
    private final Set<String> skipped = new HashSet<>();
    private final Map<String, Integer> notices = new java.util.HashMap<>();
    private volatile List<JsonNode> latest = List.of();

    Inspector(ChaosHome home, RoostAccess access, Set<String> harmed) {
        this.home = home;
        this.access = access;
        this.harmed = harmed;
    }

    /** The rows of the last observation. */
    List<JsonNode> latest() {
        return latest;
    }

    /** The number of notices of ends. */
    int notices() {
        return notices.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Makes the next observation read the details of ended runs again. */
    void forget() {
        skipped.clear();
    }

    /** Skips these ended runs in later observations, because they were found in order. */
    void skip(RunObservation observation) {
        for (var run : observation.runs()) if (run.ended() && run.details().isPresent()) skipped.add(run.runId());
    }

    /** Empty if the daemon does not answer. */
    Optional<RunObservation> observe(double at, double calmSince) {
        var runs = rows();
        if (runs.isEmpty()) return Optional.empty();
        latest = runs.get();
        var seen = new ArrayList<RunObservation.ObservedRun>();
        for (var row : latest) {
            String id = row.path("run_id").asString();
            String status = row.path("status").asString();
            String end = row.has("ended_at")
                    ? "%s, %s, %s"
                            .formatted(
                                    status,
                                    row.path("cause").asString(),
                                    row.get("ended_at").asString())
                    : "";
            boolean alive = ExactProcess.of(row.path("pid").asLong(0)).isPresent();
            var details = skipped.contains(id) ? Optional.<RunObservation.RunDetails>empty() : details(row);
            seen.add(new RunObservation.ObservedRun(
                    id, status, row.path("attempt").asInt(), end, alive, details));
        }
        return Optional.of(new RunObservation(at, calmSince, seen));
    }

    private Optional<List<JsonNode>> rows() {
        var rows = new ArrayList<JsonNode>();
        var params = params().put("filter", "all").put("limit", 1000);
        while (true) {
            var page = access.call(RoostAccess.OPERATOR, "list", params);
            if (!page.done()) return Optional.empty();
            page.body().path("runs").forEach(rows::add);
            if (!page.body().has("next_cursor")) return Optional.of(rows);
            params.set("cursor", page.body().get("next_cursor"));
        }
    }

    private Optional<RunObservation.RunDetails> details(JsonNode row) {
        String id = row.path("run_id").asString();
        var shown = access.call(RoostAccess.OPERATOR, "show", params().put("run_id", id));
        // a run that ended since it was listed is observed next time
        if (!shown.done() || shown.body().has("ended_at") != row.has("ended_at")) return Optional.empty();
        var notices = new ArrayList<Integer>();
        for (var notice : shown.body().path("notices"))
            if (notice.path("kind").asString().equals("ended"))
                notices.add(notice.path("attempt").asInt());
        this.notices.put(id, notices.size());
        var agentLog = home.evidenceOf(row.path("name").asString());
        var left = new ArrayList<>(agentLog.processes());
        left.addAll(home.perch(id));
        left.removeIf(process -> !process.alive());
        var surfaces = row.has("ended_at") ? surfaces(row, shown.body()) : Map.<String, String>of();
        boolean kept = !agentLog.wrote() || kept(row.path("name").asString(), shown.body());
        return Optional.of(new RunObservation.RunDetails(notices, surfaces, agentLog, harmed.contains(id), left, kept));
    }

    private Map<String, String> surfaces(JsonNode row, JsonNode shown) {
        var output = access.call(
                RoostAccess.OPERATOR,
                "output",
                params().put("run_id", row.path("run_id").asString()));
        var surfaces = new LinkedHashMap<String, String>();
        surfaces.put("show", shown.path("status").asString());
        surfaces.put("output", output.done() ? output.body().path("status").asString() : output.message());
        surfaces.put("output.md", lastWord(Path.of(row.path("output_file").asString())));
        return surfaces;
    }

    /** The status after the last separator of output.md. */
    private static String lastWord(Path file) {
        try (var channel = Files.newByteChannel(file)) {
            channel.position(Math.max(0, channel.size() - 4096));
            var tail = java.nio.ByteBuffer.allocate(4096);
            while (channel.read(tail) > 0) {}
            var text = new String(tail.array(), 0, tail.position(), StandardCharsets.UTF_8);
            int end = text.lastIndexOf("\n---\n");
            return end < 0 ? "no end" : text.substring(end + 5).strip().split("[:, ]", 2)[0];
        } catch (IOException e) {
            return "unreadable: " + e.getMessage();
        }
    }

    private boolean kept(String name, JsonNode shown) {
        var file = Path.of(shown.path("worktree").asString("/nowhere")).resolve("work-" + name);
        if (Files.exists(file)) return true;
        String ref = shown.path("work").path("rescue_ref").asString("");
        return !ref.isEmpty() && Shell.run(home.repository(), "git cat-file -e \"$1\"", ref + ":work-" + name) == 0;
    }

    static ObjectNode params() {
        return JSON.createObjectNode();
    }
}
