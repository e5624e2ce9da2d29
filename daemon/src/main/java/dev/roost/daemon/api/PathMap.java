package dev.roost.daemon.api;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Maps directories inside a container to directories outside of it. */
public record PathMap(Map<Path, Path> insideToOutside) {

    private static final Set<String> FIELDS = Set.of("output_file", "result_file", "cwd", "worktree");

    public static final PathMap NONE = new PathMap(Map.of());

    public PathMap {
        insideToOutside = Collections.unmodifiableMap(new LinkedHashMap<>(insideToOutside));
    }

    public Path outside(Path inside) {
        for (var pair : insideToOutside.entrySet()) {
            if (inside.startsWith(pair.getKey()))
                return pair.getValue().resolve(pair.getKey().relativize(inside)).normalize();
        }
        return inside;
    }

    public Path inside(Path outside) {
        for (var pair : insideToOutside.entrySet()) {
            if (outside.startsWith(pair.getValue()))
                return pair.getKey()
                        .resolve(pair.getValue().relativize(outside))
                        .normalize();
        }
        return outside;
    }

    /** Replaces the directories in an answer by those inside the container. */
    public void translate(JsonNode answer) {
        if (answer instanceof ObjectNode object && !insideToOutside.isEmpty()) {
            for (var name : FIELDS) {
                object.path(name)
                        .asStringOpt()
                        .ifPresent(
                                path -> object.put(name, inside(Path.of(path)).toString()));
            }
        }
        answer.forEach(this::translate);
    }
}
