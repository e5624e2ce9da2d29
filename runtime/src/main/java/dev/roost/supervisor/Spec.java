package dev.roost.supervisor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What to run: immutable, and kept beside what became of it. */
public record Spec(List<String> argv, Path cwd, String umask) {

    private static final JsonMapper JSON = new JsonMapper();

    byte[] json() {
        var json = JSON.createObjectNode();
        var words = json.putArray("argv");
        argv.forEach(words::add);
        json.put("cwd", cwd.toString()).put("umask", umask);
        return (JSON.writeValueAsString(json) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    static Spec read(String text) throws IOException {
        try {
            var json = JSON.readTree(text);
            var argv = new ArrayList<String>();
            json.required("argv").forEach(word -> argv.add(word.asString()));
            return new Spec(
                    argv,
                    Path.of(json.required("cwd").asString()),
                    json.required("umask").asString());
        } catch (JacksonException | InvalidPathException e) {
            throw new IOException("spec.json is damaged", e);
        }
    }
}
