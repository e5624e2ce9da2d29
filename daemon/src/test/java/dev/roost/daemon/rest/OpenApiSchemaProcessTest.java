package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.roost.daemon.testing.RestApiFixture;
import dev.roost.daemon.testing.SseReader;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Real answers of a real daemon match the description and have no unknown field. */
class OpenApiSchemaProcessTest extends RestApiFixture {

    private ObjectNode components = object();

    private void valid(String schema, JsonNode answer) {
        var root = object().put("$ref", "#/components/schemas/" + schema).put("unevaluatedProperties", false);
        root.set("components", components);
        var registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
        assertThat(registry.getSchema(root).validate(answer))
                .as("%s: %s", schema, answer)
                .isEmpty();
    }

    /** Nested objects and list elements are closed, so an unknown field in them is an error. */
    private static void strict(JsonNode schema) {
        for (var property : schema.path("properties").properties()) closed(property.getValue());
        if (schema.has("items")) closed(schema.get("items"));
        schema.path("allOf").forEach(OpenApiSchemaProcessTest::strict);
    }

    private static void closed(JsonNode schema) {
        strict(schema);
        boolean shaped = schema.has("$ref") || schema.has("allOf") || schema.has("properties");
        if (shaped && schema instanceof ObjectNode object) object.put("unevaluatedProperties", false);
    }

    @Test
    void every_answer_matches_its_schema() throws Exception {
        var token = token(BOX);
        components = (ObjectNode) read("/openapi.json", token).path("components");
        components.path("schemas").forEach(OpenApiSchemaProcessTest::strict);
        long before;
        try (var reader = new SseReader(port(), API + "/events", token)) {
            var first = reader.need();
            valid("Begin", first.data());
            before = first.number();
        }
        var started = write(
                "/runs",
                token,
                script("echo hello; echo trouble >&2; exit 3")
                        .put("name", "a name")
                        .put("max_time", "1h"));
        valid("Run", started);
        var failed = started.path("run_id").asString();
        var live = begin(token, "echo working; sleep 1000");
        awaitPid(live);
        ended(operatorsToken(), failed);
        git("init", "-q");
        git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
        var work = write("/runs", token, script("echo x > file").put("isolation", "worktree"))
                .path("run_id")
                .asString();
        valid("Output", ended(operatorsToken(), work));
        call("pause", operator());
        call("resume", operator());

        valid("RunPage", read("/runs?filter=all", token));
        assertThat(read("/runs?filter=all&limit=1", token).has("next_cursor")).isTrue();
        valid("RunPage", read("/runs?filter=all&limit=1", token));
        for (var run : new String[] {failed, live, work}) {
            valid("RunDetails", read("/runs/" + run, token));
            valid("Output", read("/runs/" + run + "/output", operatorsToken()));
        }
        valid("Output", read("/runs/" + live + "/output?block=true&timeout_ms=1000", token));
        valid("NoticeList", read("/notices", operatorsToken()));
        valid("PauseList", read("/pauses", operatorsToken()));
        assertThat(read("/pauses", operatorsToken()).path("pauses").size()).isPositive();
        valid("AgentList", read("/agents", operatorsToken()));
        tool(token, "agent_list", object());
        valid("OwnerList", read("/owners", operatorsToken()));
        valid("SpendList", read("/spend", operatorsToken()));
        try (var reader = new SseReader(port(), API + "/runs/" + failed + "/output", operatorsToken())) {
            valid("OutputEvent", reader.need().data());
            valid("OutputEnd", reader.need().data());
        }
        try (var reader = new SseReader(port(), API + "/events?after=" + before, token)) {
            reader.need();
            for (int i = 0; i < 10; i++) valid("Event", reader.need().data());
        }
        try (var reader = new SseReader(port(), API + "/events?after=99999999", token)) {
            valid("Begin", reader.need().data());
        }
        valid("Run", write("/runs/" + live + "/stop", token, object()));
        var ids = object();
        read("/notices", token)
                .path("notices")
                .forEach(one ->
                        ids.withArray("notice_ids").add(one.path("notice_id").asString()));
        valid("NoticeIds", ids);
        valid("Acknowledged", write("/notices/acknowledge", token, ids));
        for (var path : new String[] {"/runs/nobody", "/runs?status=x", "/nothing"})
            valid("Error", JSON.readTree(get(API + path, token).body()));
        valid("Error", JSON.readTree(get(API + "/runs", "").body()));
        valid("NewRun", script("true"));
    }

    private void git(String... words) throws Exception {
        var all = new java.util.ArrayList<>(java.util.List.of("git", "-C", scratch.toString()));
        all.addAll(java.util.List.of(words));
        assertThat(new ProcessBuilder(all).inheritIO().start().waitFor()).isZero();
    }
}
