package dev.roost.daemon.telemetry;

import dev.roost.daemon.api.RunJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The tool calls of one attempt and its model, from transcript.jsonl. Times are those at which a daemon received them. */
record ToolSpans(List<ToolCallSpan> calls, int leftOut, Optional<String> model) {

    private static final int MOST = 1_000;
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9_.$/@-]{1,80})(?::.*)?", Pattern.DOTALL);

    /** {@code until} is empty if the call's end was not reported. */
    record ToolCallSpan(String id, String name, String line, Instant from, Optional<Instant> until, boolean failed) {

        private ToolCallSpan ended(Instant at, boolean failed) {
            return new ToolCallSpan(id, name, line, from, Optional.of(at), failed);
        }
    }

    static ToolSpans read(Path transcript, int attempt) {
        var calls = new LinkedHashMap<String, ToolCallSpan>();
        int leftOut = 0;
        Optional<String> model = Optional.empty();
        try (var lines = new BufferedReader(new InputStreamReader(
                Files.newInputStream(transcript, LinkOption.NOFOLLOW_LINKS), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.contains("\"tool_") && !line.contains("\"model\"")) continue;
                var json = RunJson.MAPPER.readTree(line);
                if (json.path("attempt").asInt(0) != attempt) continue;
                switch (json.path("type").asString("")) {
                    case "model" -> model = json.path("model").asStringOpt().filter(name -> !name.isBlank());
                    case "tool_started" -> {
                        if (calls.size() < MOST) start(calls, json);
                        else leftOut++;
                    }
                    case "tool_ended" ->
                        calls.computeIfPresent(
                                json.path("id").asString(""),
                                (_, call) ->
                                        call.ended(at(json), json.path("failed").asBoolean(false)));
                    default -> {}
                }
            }
        } catch (NoSuchFileException e) {
            // a command has no transcript
        } catch (IOException | JacksonException | DateTimeException e) {
            // the transcript is damaged: keep the calls before that
        }
        return new ToolSpans(new ArrayList<>(calls.values()), leftOut, model);
    }

    private static void start(LinkedHashMap<String, ToolCallSpan> calls, JsonNode json) {
        var id = json.path("id").asString("");
        var line = json.path("text").asString("");
        calls.putIfAbsent(id, new ToolCallSpan(id, name(line), line, at(json), Optional.empty(), false));
    }

    private static Instant at(JsonNode json) {
        return Instant.parse(json.path("at").asString(""));
    }

    /** The text before the colon, if it looks like a name: some programs write a free title there. */
    private static String name(String line) {
        var shape = NAME.matcher(line);
        return shape.matches() ? shape.group(1) : "tool";
    }
}
