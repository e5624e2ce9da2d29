package dev.roost.ledger.record;

import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Evidence as JSON, as surfaces show it and the ledger stores it; unknown fields are absent. */
public final class EvidenceJson {

    private static final JsonMapper JSON = new JsonMapper();

    private EvidenceJson() {}

    public static ObjectNode tree(Evidence evidence) {
        var json = JSON.createObjectNode();
        evidence.exit().ifPresent(exit -> {
            json.put("exit_status", exit.status());
            if (exit.signaled()) json.put("signal", exit.signal());
        });
        evidence.agent().ifPresent(agent -> json.put("pid", agent.pid()).put("pid_start_ticks", agent.startTicks()));
        evidence.bootId().ifPresent(boot -> json.put("boot_id", boot));
        evidence.lastSignOfLife().ifPresent(at -> json.put("last_sign_of_life", at.toString()));
        evidence.active().ifPresent(time -> json.put("active_ms", time.toMillis()));
        evidence.slept().ifPresent(time -> json.put("slept_ms", time.toMillis()));
        if (!evidence.stderrTail().isEmpty()) json.put("stderr_tail", evidence.stderrTail());
        if (!evidence.leftovers().isEmpty()) {
            var list = json.putArray("leftovers");
            evidence.leftovers().forEach(list::add);
        }
        evidence.note().ifPresent(note -> json.put("note", note));
        return json;
    }

    public static String write(Evidence evidence) {
        return JSON.writeValueAsString(tree(evidence));
    }

    public static Evidence read(String text) {
        JsonNode json = JSON.readTree(text);
        var leftovers = new ArrayList<String>();
        json.path("leftovers").forEach(one -> leftovers.add(one.asString()));
        return new Evidence(
                json.has("exit_status")
                        ? Optional.of(new Exit(json.get("exit_status").asInt(), json.has("signal")))
                        : Optional.empty(),
                json.has("pid")
                        ? Optional.of(new ProcessId(
                                json.get("pid").asLong(),
                                json.get("pid_start_ticks").asLong()))
                        : Optional.empty(),
                string(json, "boot_id"),
                string(json, "last_sign_of_life").map(Instant::parse),
                millis(json, "active_ms"),
                millis(json, "slept_ms"),
                string(json, "stderr_tail").orElse(""),
                leftovers,
                string(json, "note"));
    }

    private static Optional<Duration> millis(JsonNode json, String field) {
        return json.has(field) ? Optional.of(Duration.ofMillis(json.get(field).asLong())) : Optional.empty();
    }

    private static Optional<String> string(JsonNode json, String field) {
        return json.has(field) ? Optional.of(json.get(field).asString()) : Optional.empty();
    }
}
