package dev.roost.home;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What an attempt runs; immutable. {@code session} is the conversation that the attempt continues. */
public record AttemptSpec(List<String> argv, Path cwd, String umask, Input input, Optional<String> session) {

    /** The source of standard input. */
    public enum Input {
        NOTHING,
        FILE,
        PIPE
    }

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern UMASK = Pattern.compile("[0-7]{3,4}");

    /** The environment is a parameter and not a component, so that printing a spec does not print secrets. */
    byte[] json(Map<String, String> environment) {
        var json = JSON.createObjectNode();
        var words = json.putArray("argv");
        argv.forEach(words::add);
        json.put("cwd", cwd.toString()).put("umask", umask);
        json.put("input", input.name().toLowerCase(Locale.ROOT));
        session.ifPresent(id -> json.put("session", id));
        var variables = json.putObject("env");
        environment.forEach(variables::put);
        return (JSON.writeValueAsString(json) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** The environment in a spec file; empty if an earlier version wrote the file. */
    static Optional<Map<String, String>> environment(String text) throws IOException {
        try {
            var json = JSON.readTree(text).path("env");
            if (json.isMissingNode()) return Optional.empty();
            if (!json.isObject()) throw new RecordFile.DamagedRecordException("env");
            var environment = new LinkedHashMap<String, String>();
            for (var variable : json.properties()) {
                boolean hasValidName =
                        !variable.getKey().isEmpty() && variable.getKey().indexOf('=') < 0;
                if (!hasValidName || !variable.getValue().isString())
                    throw new RecordFile.DamagedRecordException("env");
                environment.put(variable.getKey(), variable.getValue().asString());
            }
            return Optional.of(environment);
        } catch (JacksonException | RecordFile.DamagedRecordException e) {
            throw new IOException("spec.json is damaged", e);
        }
    }

    static AttemptSpec read(String text) throws IOException {
        try {
            var json = JSON.readTree(text);
            var argv = new ArrayList<String>();
            for (var word : json.required("argv")) {
                if (!word.isString()) throw new RecordFile.DamagedRecordException("argv");
                argv.add(word.asString());
            }
            var umask = RecordFile.text(json, "umask");
            if (argv.isEmpty() || !UMASK.matcher(umask).matches())
                throw new RecordFile.DamagedRecordException("argv or umask");
            return new AttemptSpec(
                    argv,
                    Path.of(RecordFile.text(json, "cwd")),
                    umask,
                    Input.valueOf(json.path("input").asString("nothing").toUpperCase(Locale.ROOT)),
                    json.path("session").asStringOpt());
        } catch (JacksonException | RecordFile.DamagedRecordException | IllegalArgumentException e) {
            throw new IOException("spec.json is damaged", e);
        }
    }
}
