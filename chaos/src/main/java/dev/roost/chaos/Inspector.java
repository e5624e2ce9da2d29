package dev.roost.chaos;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import dev.roost.chaos.promise.RunObservation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Observes all runs on all surfaces, as the operator, and beside them what their agents logged. */
final class Inspector {

    private final ChaosSession session;
    private final Set<String> inOrder = new HashSet<>();
    private final Map<String, Integer> notices = new HashMap<>();
    private volatile List<JsonNode> latest = List.of();

    Inspector(ChaosSession session) {
        this.session = session;
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
        inOrder.clear();
    }

    /** Checks all runs; false if the daemon does not answer or something may only lag. Does not read ended runs again. */
    boolean isInOrder(double at, double calmSince) {
        var rows = rows();
        if (rows.isEmpty()) return false;
        latest = rows.get();
        var ids = latest.stream().map(Inspector::id).collect(Collectors.toSet());
        var facts = new ArrayList<RunFact>(List.of(new RunFact.Listed(ids, false)));
        var ended = new HashSet<String>();
        for (var row : latest) {
            facts.add(new RunFact.Reported(id(row), attempt(row), status(row), end(row)));
            if (status(row).equals("running"))
                facts.add(new RunFact.Processes(
                        id(row),
                        ExactProcess.of(row.path("pid").asLong(0)).stream().toList()));
            if (inOrder.contains(id(row))) continue;
            var details = details(row);
            facts.addAll(details);
            if (!details.isEmpty() && row.has("ended_at")) ended.add(id(row));
        }
        boolean good = session.checker.check(new RunObservation(at, calmSince, facts));
        if (good) inOrder.addAll(ended);
        return good;
    }

    boolean isAnswered() {
        return rows().isPresent();
    }

    static String id(JsonNode row) {
        return row.path("run_id").asString();
    }

    private static int attempt(JsonNode row) {
        return row.path("attempt").asInt();
    }

    private static String status(JsonNode row) {
        return row.path("status").asString();
    }

    private static String end(JsonNode row) {
        if (!row.has("ended_at")) return "";
        return "%s, %s, %s"
                .formatted(
                        status(row),
                        row.path("cause").asString(),
                        row.get("ended_at").asString());
    }

    private Optional<List<JsonNode>> rows() {
        var rows = new ArrayList<JsonNode>();
        var params = ChaosSession.params().put("filter", "all").put("limit", 1000);
        while (true) {
            var page = session.access.call(RoostAccess.OPERATOR, "list", params);
            if (!page.done()) return Optional.empty();
            page.body().path("runs").forEach(rows::add);
            if (!page.body().has("next_cursor")) return Optional.of(rows);
            params.set("cursor", page.body().get("next_cursor"));
        }
    }

    /** Empty if the run ended since it was listed; it is observed next time. */
    private List<RunFact> details(JsonNode row) {
        String id = id(row);
        var shown = session.call(RoostAccess.OPERATOR, "show", id);
        boolean ended = row.has("ended_at");
        if (!shown.done() || shown.body().has("ended_at") != ended) return List.of();
        var notices = new ArrayList<Integer>();
        for (var notice : shown.body().path("notices"))
            if (notice.path("kind").asString().equals("ended"))
                notices.add(notice.path("attempt").asInt());
        this.notices.put(id, notices.size());
        String name = row.path("name").asString();
        var log = session.home.evidenceOf(name);
        long count = notices.stream().filter(n -> n == attempt(row)).count();
        var facts = new ArrayList<RunFact>();
        facts.add(new RunFact.Amount(
                Promise.FIRST_END_WINS,
                id,
                "starts of its agent",
                log.starts().size(),
                1)); // a command is not repeated
        facts.add(new RunFact.Notified(id, attempt(row), count, ended));
        if (!ended) return facts;
        facts.add(new RunFact.Ended(id, attempt(row), status(row), log.possible(session.harmed.contains(id))));
        var output = session.call(RoostAccess.OPERATOR, "output", id);
        facts.add(sameStatus(row, "show", status(shown.body())));
        facts.add(sameStatus(row, "output", output.done() ? status(output.body()) : output.message()));
        facts.add(sameStatus(
                row, "output.md", lastWord(Path.of(row.path("output_file").asString()))));
        var left = new ArrayList<>(log.processes());
        left.addAll(session.home.perch(id));
        left.removeIf(process -> !process.alive());
        facts.add(new RunFact.Processes(id, left));
        boolean kept = !log.wrote() || isKept(name, shown.body());
        facts.add(new RunFact.Lag(new RunFact.Answer(
                Promise.NO_WORK_THROWN_AWAY,
                id,
                "what it wrote into its worktree",
                kept ? "kept" : "neither there nor in its checkpoint",
                "kept")));
        return facts;
    }

    /** A file follows the commit. */
    private static RunFact sameStatus(JsonNode row, String surface, String says) {
        return new RunFact.Lag(
                new RunFact.Answer(Promise.ONE_TRUTH, id(row), "its status in " + surface, says, status(row)));
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

    private boolean isKept(String name, JsonNode shown) {
        var file = Path.of(shown.path("worktree").asString("/nowhere")).resolve("work-" + name);
        if (Files.exists(file)) return true;
        String ref = shown.path("work").path("rescue_ref").asString("");
        return !ref.isEmpty()
                && Shell.run(session.home.repository(), "git cat-file -e \"$1\"", ref + ":work-" + name) == 0;
    }
}
