package dev.roost.daemon.mcp;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps directories inside a container to directories outside of it. */
public record PathMap(Map<Path, Path> insideToOutside) {

    public static final PathMap NONE = new PathMap(Map.of());

    public PathMap {
        insideToOutside = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(insideToOutside));
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
}
