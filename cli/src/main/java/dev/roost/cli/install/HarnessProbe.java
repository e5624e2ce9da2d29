package dev.roost.cli.install;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Runs the commands from a harness's files as the harness would.
 *
 * @param environment of the commands
 * @param hooks the command for the start of a session; its last word is the event
 */
record HarnessProbe(Map<String, String> environment, Optional<List<String>> hooks, List<String> server) {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+[\\w.-]*");
    private static final TreeSet<String> TOOLS =
            new TreeSet<>(List.of("agent", "agent_list", "agent_output", "agent_send", "agent_stop"));
    private static final String START = "SessionStart";

    /** Why a command does not work. */
    static final class ProbeFailedException extends RuntimeException {
        ProbeFailedException(List<String> words, String why) {
            super("`%s` %s".formatted(String.join(" ", words), why));
        }
    }

    static HarnessProbe of(Harness harness, Map<String, String> environment) throws IOException {
        if (harness.fallback().isPresent())
            return new HarnessProbe(
                    environment, Optional.of(List.of("roost", "hook", harness.name(), START)), List.of("roost", "mcp"));
        Optional<List<String>> hooks = Optional.empty();
        List<String> server = List.of();
        for (var edit : harness.edits()) {
            switch (edit) {
                case JsonFileEdit json -> {
                    var tree = JsonDocumentEdit.read(
                            new TextFile(json.file()).read().orElse(""));
                    hooks = hooks.or(() -> json.hooksIn(tree).stream()
                            .filter(ours -> ours.event().equals(START))
                            .findFirst()
                            .map(ours -> words(ours.hook())));
                    if (!json.server().isEmpty()) server = words(json.serverIn(tree));
                }
                case TomlFileEdit toml -> server = toml.words();
                case HarnessFileEdit.FileCopy copy -> {}
            }
        }
        return new HarnessProbe(environment, hooks, server);
    }

    private static List<String> words(JsonNode written) {
        var command = written.path("command");
        var words = new ArrayList<String>();
        if (command.isArray()) for (var word : command) words.add(word.asString());
        else if (written.has("args")) words.add(command.asString());
        else words.addAll(List.of("sh", "-c", command.asString()));
        for (var word : written.path("args")) words.add(word.asString());
        return words;
    }

    static String version(Path program, Map<String, String> environment) {
        try {
            var matcher = VERSION.matcher(
                    ProgramProbe.of(environment, List.of(program.toString(), "--version"), "", 0, TIMEOUT)
                            .text());
            if (matcher.find()) return matcher.group();
        } catch (IOException e) {
            // no version
        }
        return "of unknown version";
    }

    /** Starts and ends a session; returns the hook's duration in milliseconds. */
    long tryHooks(List<String> words) {
        var session = ClientCommand.params()
                .put("session_id", "doctor-" + UUID.randomUUID())
                .put("cwd", "/")
                .put("source", "startup");
        var answer = probe(words, session.put("hook_event_name", START).toString(), 0);
        if (!answer.text().isBlank() && json(words, answer.text()).has("error"))
            throw new ProbeFailedException(words, "answers with an error");
        if (answer.text().contains("cannot be reached"))
            throw new ProbeFailedException(words, "cannot reach the daemon");
        var last = new ArrayList<>(words);
        last.set(last.size() - 1, last.getLast().replace(START, "SessionEnd"));
        session.put("hook_event_name", "SessionEnd").put("reason", "other");
        try {
            ProgramProbe.of(environment, last, session.toString(), 0, TIMEOUT);
        } catch (IOException e) {
            throw new ProbeFailedException(words, String.valueOf(e.getMessage()));
        }
        return answer.took().toMillis();
    }

    long tryTools(List<String> words) {
        String ask = """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
            "clientInfo":{"name":"roost-doctor","version":"1"}}}
            {"jsonrpc":"2.0","id":2,"method":"tools/list"}
            """;
        var answer = probe(words, ask, 2);
        var tools = new TreeSet<String>();
        for (var line : answer.text().lines().toList())
            for (var tool : json(words, line).path("result").path("tools"))
                tools.add(tool.path("name").asString());
        if (tools.equals(TOOLS)) return answer.took().toMillis();
        throw new ProbeFailedException(
                words,
                "offers %s instead of the five tools"
                        .formatted(tools.isEmpty() ? "nothing" : String.join(", ", tools)));
    }

    private ProgramProbe.ProbeResult probe(List<String> words, String input, int lines) {
        try {
            return ProgramProbe.of(environment, words, input, lines, TIMEOUT);
        } catch (IOException e) {
            throw new ProbeFailedException(words, String.valueOf(e.getMessage()));
        }
    }

    private static JsonNode json(List<String> words, String text) {
        try {
            return DaemonClient.JSON.readTree(text);
        } catch (JacksonException e) {
            throw new ProbeFailedException(words, "answers with something that is not JSON");
        }
    }
}
