package dev.roost.daemon.socket;

import dev.roost.base.Refusal;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.service.RoostService;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows a project's file to any caller; only a person may trust it. */
final class ProjectMethods {

    private final PersonCheck personCheck;
    private final ProjectFiles projects;

    ProjectMethods(RoostService service, ProjectFiles projects) {
        this.personCheck = new PersonCheck(
                service,
                new Refusal(
                        "person_required",
                        "Only a person may trust a project.",
                        "Ask the user to run `roost trust` in a plain shell."));
        this.projects = projects;
    }

    ApiReply project(@Nullable JsonNode params) {
        var requestFields = RequestFields.of(params, "caller", "operator", "directory");
        return new ApiReply(json(projects.review(requestFields.path("directory"))));
    }

    private static ObjectNode json(ProjectFiles.ProjectFileReview review) {
        var json = RunJson.MAPPER.createObjectNode();
        json.put("file", review.file().toString())
                .put("sha256", review.sha256())
                .put("trusted", review.trusted())
                .put("text", review.text());
        review.loosens().forEach(json.putArray("loosens")::add);
        return json;
    }

    ApiReply trust(@Nullable JsonNode params) {
        var requestFields = personCheck.params(params, "directory", "sha256");
        return new ApiReply(json(projects.trust(requestFields.path("directory"), requestFields.required("sha256"))));
    }

    ApiReply revoke(@Nullable JsonNode params) {
        var requestFields = personCheck.params(params, "directory");
        return new ApiReply(
                RunJson.MAPPER.createObjectNode().put("revoked", projects.revoke(requestFields.path("directory"))));
    }

    ApiReply trusted(@Nullable JsonNode params) {
        RequestFields.of(params, "caller", "operator");
        var json = RunJson.MAPPER.createObjectNode();
        var list = json.putArray("trusted");
        for (var one : projects.trusted()) {
            list.addObject()
                    .put("file", one.file().toString())
                    .put("sha256", one.sha256())
                    .put("trusted_at", one.at().toString());
        }
        return new ApiReply(json);
    }
}
