package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.run.Refused;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A project's file: looked at by anybody, trusted by a person only. */
final class ProjectMethods {

    private final Persons persons;
    private final ProjectFiles projects;

    ProjectMethods(House house, ProjectFiles projects) {
        this.persons = new Persons(
                house,
                new Refused(
                        "a_person_trusts",
                        "Only a person may say which projects are trusted.",
                        "Ask the user to run `roost trust` in a plain shell."));
        this.projects = projects;
    }

    Reply project(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "directory");
        return new Reply(seen(projects.look(params.path("directory"))));
    }

    private static ObjectNode seen(ProjectFiles.Seen seen) {
        var json = Json.MAPPER.createObjectNode();
        json.put("file", seen.file().toString())
                .put("sha256", seen.sha256())
                .put("trusted", seen.trusted())
                .put("text", seen.text());
        seen.loosens().forEach(json.putArray("loosens")::add);
        return json;
    }

    Reply trust(@Nullable JsonNode given) {
        var params = persons.params(given, "directory", "sha256");
        return new Reply(seen(projects.trust(params.path("directory"), params.required("sha256"))));
    }

    Reply revoke(@Nullable JsonNode given) {
        var params = persons.params(given, "directory");
        return new Reply(Json.MAPPER.createObjectNode().put("revoked", projects.revoke(params.path("directory"))));
    }

    Reply trusted(@Nullable JsonNode given) {
        Params.of(given, "caller", "operator");
        var json = Json.MAPPER.createObjectNode();
        var list = json.putArray("trusted");
        for (var one : projects.trusted()) {
            list.addObject()
                    .put("file", one.file().toString())
                    .put("sha256", one.sha256())
                    .put("trusted_at", one.at().toString());
        }
        return new Reply(json);
    }
}
