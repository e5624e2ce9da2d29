package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.daemon.api.AllowedAgents;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunOperations;
import dev.roost.home.Home;
import dev.roost.os.SystemClock;
import dev.roost.service.RoostService;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The API description matches the routes. */
class OpenApiDescriptionTest {

    @TempDir
    Path scratch;

    private RoostService service;
    private JsonNode document;

    @BeforeEach
    void open() throws Exception {
        var clock = new SystemClock();
        service =
                RoostService.open(Home.open(scratch.resolve("home")), EngineConfig.DEFAULT, ProjectLookup.NONE, clock);
        try (var in = RestApi.class.getResourceAsStream(RestApi.DESCRIPTION)) {
            document = RunJson.MAPPER.readTree(in);
        }
    }

    @AfterEach
    void close() {
        service.close();
    }

    private Iterable<RestRoute> routes() {
        var agents = new AllowedAgents(service, Optional.empty());
        return new RestApi(service, new RunOperations(service, agents), agents, new SystemClock()).routes();
    }

    @Test
    void the_description_has_exactly_the_routes() {
        var there = new TreeSet<String>();
        routes().forEach(route -> there.add(route.method() + " " + route.path()));
        var described = new TreeSet<String>();
        for (var path : document.path("paths").properties())
            path.getValue()
                    .propertyNames()
                    .forEach(method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey()));
        assertThat(described).isEqualTo(there);
        assertThat(document.path("servers").get(0).path("url").asString()).isEqualTo(RestApi.PREFIX);
        assertThat(document.path("openapi").asString()).startsWith("3.1.");
    }

    @Test
    void the_description_has_exactly_the_fields_of_every_route_with_their_types() {
        for (var route : routes()) {
            var operation = document.path("paths")
                    .path(route.path())
                    .path(route.method().toLowerCase(Locale.ROOT));
            var there = new TreeMap<String, String>();
            route.fields().forEach(field -> there.put(field.name(), kind(field)));
            var described = route.method().equals("POST") ? body(operation) : query(operation);
            assertThat(described).as(route.method() + " " + route.path()).isEqualTo(there);
        }
    }

    private static String kind(FieldSpec field) {
        return switch (field.kind()) {
            case TEXT -> "string";
            case NUMBER -> "integer";
            case FLAG -> "boolean";
            case TIMEOUT -> "";
            case AMOUNT -> "number";
            case TEXTS -> "array";
            case TEXTS_BY_NAME -> "object";
        };
    }

    private Map<String, String> body(JsonNode operation) {
        var schema = resolved(operation
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema"));
        var fields = new TreeMap<String, String>();
        for (var field : schema.path("properties").properties())
            fields.put(field.getKey(), field.getValue().path("type").asString(""));
        return fields;
    }

    private Map<String, String> query(JsonNode operation) {
        var fields = new TreeMap<String, String>();
        for (var one : operation.path("parameters")) {
            var parameter = resolved(one);
            if (parameter.path("in").asString().equals("query"))
                fields.put(
                        parameter.path("name").asString(),
                        parameter.path("schema").path("type").asString(""));
        }
        return fields;
    }

    private JsonNode resolved(JsonNode node) {
        var reference = node.path("$ref").asString("");
        return reference.isEmpty() ? node : document.at(reference.substring(1));
    }

    @Test
    void every_reference_has_a_target_and_every_schema_is_used() {
        var used = new TreeSet<String>();
        document.findValuesAsString("$ref").forEach(reference -> {
            assertThat(document.at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse();
            used.add(reference.substring(reference.lastIndexOf('/') + 1));
        });
        var text = document.toString();
        for (var name : document.path("components").path("schemas").propertyNames())
            assertThat(used.contains(name) || text.contains("(" + name + ")"))
                    .as(name)
                    .isTrue();
    }
}
