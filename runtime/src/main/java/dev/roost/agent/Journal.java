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
 * The steps of one turn. Each attempt writes a file of its own, so that one that was taken for lost cannot spoil those of
 * the next; what earlier attempts of the same turn wrote is read at the beginning.
 */
final class Journal implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String FILE = "journal.jsonl";

    private final FileChannel file;
    private final Map<String, StepValue> done = new HashMap<>();
    private final Map<String, Integer> uses = new HashMap<>();
    private final String prompt;
    private final boolean resumed;

    /** @param run the run's directory, with one directory for each attempt in it */
    static Journal open(Path run, int attempt, int turn, String prompt) throws IOException {
        return new Journal(run, attempt, turn, prompt);
    }

    private Journal(Path run, int attempt, int turn, String prompt) throws IOException {
        Optional<String> asked = Optional.empty();
        for (int n = 1; n < attempt; n++) {
            var earlier = read(run.resolve(Integer.toString(n)).resolve(FILE), turn);
            if (asked.isEmpty()) asked = earlier;
        }
        this.resumed = asked.isPresent();
        this.prompt = asked.orElse(prompt);
        var directory = run.resolve(Integer.toString(attempt));
        this.file = FileChannel.open(
                directory.resolve(FILE),
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        write(JSON.createObjectNode().put("turn", turn).put("prompt", this.prompt));
        try (var name = FileChannel.open(directory)) {
            name.force(true);
        }
    }

    /** What one attempt wrote, if it was of this turn; its prompt. */
    private Optional<String> read(Path journal, int turn) throws IOException {
        String text;
        try {
            text = Files.readString(journal);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Optional<String> asked = Optional.empty();
        for (var line : text.lines().toList()) {
            JsonNode json;
            try {
                json = JSON.readTree(line);
            } catch (JacksonException e) {
                break; // it was cut off here: that step did not end
            }
            if (json.has("prompt")) {
                if (json.path("turn").asInt(0) != turn) return Optional.empty();
                asked = Optional.of(json.path("prompt").asString());
            } else {
                done.putIfAbsent(
                        json.path("step").asString(),
                        new StepValue(json.path("type").asString(), json.path("value")));
            }
        }
        return asked;
    }

    /** What the turn is about: what its first attempt was given. */
    String prompt() {
        return prompt;
    }

    boolean resumed() {
        return resumed;
    }

    /** What tells this use of the name from the others. */
    synchronized String key(String name) {
        int use = uses.merge(name, 1, Integer::sum);
        return use == 1 ? name : name + "#" + use;
    }

    synchronized Optional<StepValue> find(String key) {
        return Optional.ofNullable(done.get(key));
    }

    /** When this returns, it is on the disk. */
    synchronized void record(String key, StepValue stepValue) {
        try {
            write(JSON.createObjectNode()
                    .put("step", key)
                    .put("type", stepValue.type())
                    .set("value", stepValue.value()));
        } catch (IOException e) {
            throw new UncheckedIOException("The step \"%s\" could not be written down".formatted(key), e);
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
