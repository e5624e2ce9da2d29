package dev.roost.daemon.tokens;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The limits of a token's runs: agents, directory, the map of paths inside its client's container, the number of live runs, the
 * launcher that precedes every command line, and variables. Without agents, it may use all that models may use. A token for the
 * {@code page} belongs to a person's browser, and is valid for nothing else.
 */
public record TokenScope(
        Optional<List<String>> agents,
        Path directory,
        Map<Path, Path> paths,
        Optional<Integer> maxLive,
        List<String> launcher,
        Map<String, String> environment,
        boolean page) {

    private static final String[] FIELDS = {"agents", "directory", "paths", "max_live", "launcher", "env", "page"};

    /** The scope of a person's browser; it starts no runs. */
    static final TokenScope OF_THE_PAGE =
            new TokenScope(Optional.empty(), Path.of("/"), Map.of(), Optional.empty(), List.of(), Map.of(), true);

    public TokenScope {
        var deepestFirst = new LinkedHashMap<Path, Path>();
        paths.entrySet().stream()
                .sorted(Comparator.comparingInt(pair -> -pair.getKey().getNameCount()))
                .forEach(pair -> deepestFirst.put(pair.getKey(), pair.getValue()));
        paths = deepestFirst;
    }

    static TokenScope read(String json) {
        return read(RequestFields.of(RunJson.MAPPER.readTree(json), FIELDS));
    }

    static TokenScope read(RequestFields requestFields) {
        var agents = requestFields.texts("agents");
        var paths = new LinkedHashMap<Path, Path>();
        requestFields.map("paths").forEach((inside, outside) -> paths.put(path(inside), path(outside)));
        return new TokenScope(
                agents.isEmpty() ? Optional.empty() : Optional.of(agents),
                requestFields.path("directory"),
                paths,
                requestFields.atLeastOne("max_live").map(Math::toIntExact),
                requestFields.texts("launcher"),
                requestFields.map("env"),
                requestFields.flag("page"));
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw ErrorCode.BAD_PATH_MAP.error("\"%s\" is not a valid path.".formatted(TextFormat.printable(text)));
        }
    }

    ObjectNode json() {
        var json = shown();
        var variables = json.putObject("env");
        environment.forEach(variables::put);
        return json;
    }

    /** The scope for display: with the names of its variables, without their values. */
    public ObjectNode shown() {
        var json = RunJson.MAPPER.createObjectNode();
        if (page) json.put("page", true);
        agents.ifPresent(names -> names.forEach(json.putArray("agents")::add));
        json.put("directory", directory.toString());
        if (!paths.isEmpty()) {
            var map = json.putObject("paths");
            paths.forEach((inside, outside) -> map.put(inside.toString(), outside.toString()));
        }
        maxLive.ifPresent(most -> json.put("max_live", most));
        if (!launcher.isEmpty()) launcher.forEach(json.putArray("launcher")::add);
        if (!environment.isEmpty()) environment.keySet().forEach(json.putArray("env")::add);
        return json;
    }
}
