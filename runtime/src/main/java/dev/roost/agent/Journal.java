package dev.roost.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The steps of one turn. Each attempt writes its own file, so an attempt that was wrongly judged lost cannot damage the next
 * one's file. The journals of earlier attempts of the same turn are read at the start.
 */
final class Journal implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String FILE = "journal.jsonl";

    private final FileChannel file;
    private final Map<String, StepValue> done = new HashMap<>();
    private final Map<String, Integer> uses = new HashMap<>();
    private final String prompt;
    private final boolean resumed;

    /** @param run the run's directory; it contains one directory for each attempt */
    static Journal open(Path run, int attempt, int turn, String prompt) throws IOException {
        return new Journal(run, attempt, turn, prompt);
    }

    private Journal(Path run, int attempt, int turn, String prompt) throws IOException {
        Optional<String> firstPrompt = Optional.empty();
        for (int n = 1; n < attempt; n++) {
            var earlier = read(run.resolve(Integer.toString(n)).resolve(FILE), turn);
            if (firstPrompt.isEmpty()) firstPrompt = earlier;
        }
        this.resumed = firstPrompt.isPresent();
        this.prompt = firstPrompt.orElse(prompt);
        var directory = run.resolve(Integer.toString(attempt));
        this.file = FileChannel.open(
                directory.resolve(FILE),
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        write(JSON.createObjectNode().put("turn", turn).put("prompt", this.prompt));
        try (var entry = FileChannel.open(directory)) {
            entry.force(true);
        }
    }

    /** Reads the steps of one attempt if it belongs to this turn, and returns its prompt. */
    private Optional<String> read(Path journal, int turn) throws IOException {
        String text;
        try {
            text = Files.readString(journal);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Optional<String> storedPrompt = Optional.empty();
        for (var line : text.lines().toList()) {
            JsonNode json;
            try {
                json = JSON.readTree(line);
            } catch (JacksonException e) {
                break; // a truncated line: its step did not end
            }
            if (json.has("prompt")) {
                if (json.path("turn").asInt(0) != turn) return Optional.empty();
                storedPrompt = Optional.of(json.path("prompt").asString());
            } else {
                done.putIfAbsent(
                        json.path("step").asString(),
                        new StepValue(json.path("type").asString(), json.path("value")));
            }
        }
        return storedPrompt;
    }

    /** The prompt of the turn's first attempt. */
    String prompt() {
        return prompt;
    }

    boolean resumed() {
        return resumed;
    }

    /** A key that is unique for each use of the name. */
    synchronized String key(String name) {
        int use = uses.merge(name, 1, Integer::sum);
        return use == 1 ? name : name + "#" + use;
    }

    synchronized Optional<StepValue> find(String key) {
        return Optional.ofNullable(done.get(key));
    }

    /** Stores the step's value; it is on the disk when this returns. */
    synchronized void record(String key, StepValue stepValue) {
        try {
            write(JSON.createObjectNode()
                    .put("step", key)
                    .put("type", stepValue.type())
                    .set("value", stepValue.value()));
        } catch (IOException e) {
            throw new UncheckedIOException("Writing the step \"%s\" to the journal failed".formatted(key), e);
        }
        done.put(key, stepValue);
    }

    private void write(JsonNode line) throws IOException {
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) file.write(bytes);
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
