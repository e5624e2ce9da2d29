package dev.roost.daemon.rest;

import dev.roost.daemon.mcp.PathMap;
import dev.roost.daemon.tokens.TokenScope;
import java.nio.file.Path;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Translates the directories in an answer to the paths inside the container of the token's holder. */
record ContainerPaths(TokenScope scope) {

    private static final Set<String> PATHS = Set.of("output_file", "result_file", "cwd", "worktree");

    void rename(JsonNode answer) {
        if (!scope.paths().isEmpty()) rename(answer, new PathMap(scope.paths()));
    }

    private static void rename(JsonNode node, PathMap paths) {
        if (node instanceof ObjectNode object) {
            for (var name : PATHS) {
                if (object.path(name).isString())
                    object.put(
                            name,
                            paths.inside(Path.of(object.path(name).asString())).toString());
            }
        }
        node.forEach(child -> rename(child, paths));
    }
}
