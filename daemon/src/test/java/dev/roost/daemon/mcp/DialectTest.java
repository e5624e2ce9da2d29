package dev.roost.daemon.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The tables: every name in them means one of the five operations, and every field something that it takes. */
class DialectTest {

    private static Dialect dialect(String name) {
        return Dialect.of(Optional.of(name));
    }

    /** A value of the type that the table shows. */
    private static JsonNode some(JsonNode schema) {
        var type = schema.path("type").isArray() ? schema.path("type").path(0) : schema.path("type");
        return RunJson.MAPPER.valueToTree(
                switch (type.asString()) {
                    case "boolean" -> true;
                    case "integer", "number" -> 1000;
                    case "array" -> List.of("a");
                    case "string" -> schema.path("enum").path(0).asString("1s");
                    default -> throw new AssertionError(schema);
                });
    }

    private static boolean hasKind(JsonNode value, FieldSpec.Kind kind) {
        return switch (kind) {
            case TEXT -> value.isString();
            case NUMBER -> value.isIntegralNumber();
            case FLAG -> value.isBoolean();
            case TIMEOUT -> value.isIntegralNumber() || value.isString();
            case AMOUNT -> value.isNumber();
            case TEXTS -> value.isArray();
            case TEXTS_BY_NAME -> value.isObject();
        };
    }

    @Test
    void roosts_own_tools_offer_every_field_that_a_model_may_send() {
        for (var tool : dialect("roost").list()) {
            var offered =
                    new TreeSet<>(tool.path("inputSchema").path("properties").propertyNames());
            var known = new TreeSet<String>();
            for (var field :
                    ToolOperations.FIELDS.getOrDefault(tool.path("name").asString(), List.of()))
                known.add(field.name());
            known.remove("agent_if_known"); // only dialects fill it, from their own names of agents
            assertThat(offered).isEqualTo(known);
        }
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) RunJson.MAPPER.readTree(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"roost", "claude-code", "oh-my-openagent"})
    void every_tool_maps_to_an_operation_with_its_fields(String name) {
        var dialect = dialect(name);
        assertThat(dialect.list()).isNotEmpty().allSatisfy(tool -> {
            var given = RunJson.MAPPER.createObjectNode();
            tool.path("inputSchema")
                    .path("properties")
                    .properties()
                    .forEach(field -> given.set(field.getKey(), some(field.getValue())));
            var call = dialect.read(tool.path("name").asString(), given, Set.of());
            assertThat(ToolOperations.FIELDS).containsKey(call.operation());
            var known = ToolOperations.FIELDS.getOrDefault(call.operation(), List.of());
            RequestFields.of(call.arguments(), FieldSpec.names(known));
            for (var field : known)
                if (call.arguments().has(field.name()))
                    assertThat(hasKind(call.arguments().path(field.name()), field.kind()))
                            .as("%s of %s", field.name(), tool.path("name").asString())
                            .isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"roost", "claude-code", "oh-my-openagent"})
    void required_fields_are_listed_and_no_internal_field_of_the_table_is(String name) {
        assertThat(dialect(name).list()).allSatisfy(tool -> {
            var schema = tool.path("inputSchema");
            var fields = List.copyOf(schema.path("properties").propertyNames());
            schema.path("required").forEach(field -> assertThat(fields).contains(field.asString()));
            assertThat(tool.propertyNames()).doesNotContain("operation", "fields", "defaults");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"roost", "claude-code", "oh-my-openagent"})
    void every_list_can_be_continued_with_the_cursor_of_its_answer(String name) {
        assertThat(dialect(name).list())
                .filteredOn(tool -> tool.path("name").asString().endsWith("ist"))
                .singleElement()
                .satisfies(tool -> assertThat(
                                tool.path("inputSchema").path("properties").propertyNames())
                        .contains("cursor", "limit"));
    }

    @Test
    void an_unknown_field_is_refused_by_name_and_a_harness_field_is_ignored() {
        for (var call : Map.of("claude-code", "TaskOutput", "oh-my-openagent", "background_output")
                .entrySet()) {
            var dialect = dialect(call.getKey());
            assertThatThrownBy(() ->
                            dialect.read(call.getValue(), json("{\"task_id\":\"r_1\",\"colour\":\"red\"}"), Set.of()))
                    .isInstanceOf(BadInput.class)
                    .hasMessageContaining("colour");
            var named = json("{\"task_id\":\"r_1\",\"_session\":\"s\"}");
            assertThatThrownBy(() -> dialect.read(call.getValue(), named, Set.of()))
                    .as("without a plugin, the caller is a model")
                    .isInstanceOf(BadInput.class)
                    .hasMessageContaining("_session");
            assertThat(dialect.read(call.getValue(), named, Set.of("_session"))
                            .arguments()
                            .propertyNames())
                    .contains("run_id")
                    .doesNotContain("_session", "task_id");
        }
    }

    @Test
    void an_unknown_tool_or_dialect_is_refused_with_the_known_ones() {
        assertThatThrownBy(() -> dialect("claude-code").read("agent", json("{}"), Set.of()))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.hint()).contains("Task, TaskOutput, TaskStop, TaskList"));
        assertThatThrownBy(() -> dialect("klingon"))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.hint()).contains("claude-code, oh-my-openagent"));
    }

    @Test
    void missing_fields_get_their_defaults() {
        var dialect = dialect("claude-code");
        assertThat(dialect.read("TaskOutput", json("{\"task_id\":\"r_1\"}"), Set.of())
                        .arguments())
                .isEqualTo(json("{\"block\":true,\"run_id\":\"r_1\"}"));
        assertThat(dialect.read("TaskOutput", json("{\"task_id\":\"r_1\",\"block\":false}"), Set.of())
                        .arguments())
                .isEqualTo(json("{\"block\":false,\"run_id\":\"r_1\"}"));
    }

    @Test
    void texts_use_the_terms_of_the_dialect() {
        var ours = "agent_output {\"run_id\": \"r_1\"}; timeout_ms=300; agent_list; agent_stop; my_run_id";
        assertThat(dialect("roost").translate(ours)).isEqualTo(ours);
        assertThat(dialect("claude-code").translate(ours))
                .isEqualTo("TaskOutput {\"task_id\": \"r_1\"}; timeout=300; TaskList; TaskStop; my_run_id");
        assertThat(dialect("oh-my-openagent").translate(ours))
                .isEqualTo(
                        "background_output {\"task_id\": \"r_1\"}; timeout=300; background_list; background_cancel; my_run_id");
    }

    @Test
    void fields_and_roosts_sentences_are_translated_and_agent_output_is_not() {
        var answer = json("""
                {"run_id": "r_1", "message": "Call agent_output.", "result": "run_id and agent_output are names",
                 "runs": [{"run_id": "r_2", "description": "agent_list"}]}""");
        assertThat(dialect("oh-my-openagent").translate(answer)).isEqualTo(json("""
                {"task_id": "r_1", "message": "Call background_output.", "result": "run_id and agent_output are names",
                 "runs": [{"task_id": "r_2", "description": "agent_list"}]}"""));
    }
}
