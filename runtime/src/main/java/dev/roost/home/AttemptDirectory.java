package dev.roost.home;

import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code runs/<run_id>/<attempt>/}: the input of one attempt, its output, and the records of its perch. */
public record AttemptDirectory(Path path) implements PerchMarks {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int HIGHEST_STATUS = 255;
    private static final Pattern BEGUN = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\S+)");
    private static final String REVOKED = "revoked";

    public Path out() {
        return path.resolve("out");
    }

    public Path err() {
        return path.resolve("err");
    }

    public Path result() {
        return path.resolve("result.md");
    }

    public Path prompt() {
        return path.resolve("prompt");
    }

    /**
     * Writes the files of a new attempt, once, before the attempt is queued. {@code input} is the whole standard input, or the
     * first line of a pipe.
     */
    public void create(AttemptSpec spec, Map<String, String> environment, Optional<String> prompt, String input)
            throws IOException {
        Home.privateDirectory(path);
        makeRecords();
        PrivateFiles.writeDurably(path.resolve("spec.json"), spec.json(environment));
        switch (spec.input()) {
            case NOTHING -> {}
            case FILE -> PrivateFiles.writeDurably(path.resolve("stdin"), input.getBytes(StandardCharsets.UTF_8));
            case PIPE -> PrivateFiles.writeDurably(inputLine(1), (input + "\n").getBytes(StandardCharsets.UTF_8));
        }
        if (prompt.isPresent()) PrivateFiles.writeDurably(prompt(), prompt.get().getBytes(StandardCharsets.UTF_8));
        PrivateFiles.sync(path);
    }

    /** The setup command, which the perch runs before the agent. */
    public SetupCommand setup() {
        return new SetupCommand(path);
    }

    /** Whether the spec exists. The user may have removed the directory. */
    public boolean isPrepared() {
        return PrivateFiles.exists(path.resolve("spec.json"));
    }

    public AttemptSpec spec() throws IOException {
        return AttemptSpec.read(specText());
    }

    private String specText() throws IOException {
        return PrivateFiles.read(path.resolve("spec.json")).orElseThrow(() -> new IOException("spec.json is gone"));
    }

    public Map<String, String> environment() throws IOException {
        var environment = AttemptSpec.environment(specText());
        return environment.isPresent() ? environment.get() : environmentFromOldFile();
    }

    /** An earlier version wrote the environment to the file {@code env}. */
    private Map<String, String> environmentFromOldFile() throws IOException {
        var environment = new LinkedHashMap<String, String>();
        for (var line : PrivateFiles.read(path.resolve("env")).orElse("").split("\0", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) environment.put(line.substring(0, equals), line.substring(equals + 1));
        }
        return environment;
    }

    public Optional<String> promptText() throws IOException {
        return PrivateFiles.read(prompt());
    }

    private Path inputLine(int n) {
        return path.resolve("in." + n);
    }

    /** Gives the agent input line {@code n}, or without a text the end of its input. Idempotent. */
    public void addInputLine(int n, Optional<String> text) throws IOException {
        if (!Files.isDirectory(path)) return; // removed: no perch reads it
        var file = text.isPresent() ? inputLine(n) : path.resolve("in.end");
        if (!PrivateFiles.exists(file))
            PrivateFiles.replace(file, "in.tmp", text.map(line -> line + "\n").orElse(""));
        signalPerch();
    }

    /** Wakes the perch to read new lines. Opening a pipe for reading and writing does not block. */
    private void signalPerch() throws IOException {
        var bell = path.resolve("bell");
        if (!Files.exists(bell, LinkOption.NOFOLLOW_LINKS))
            return; // not there yet: the perch reads the lines when it starts
        try (var channel = FileChannel.open(
                bell, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
    }

    /** Writes the agent's answer to its result file. */
    public void writeResult(String text) throws IOException {
        PrivateFiles.replace(result(), "result.tmp", text);
    }

    /** The cgroup recorded for this attempt, if its last path element is {@code name}. */
    public Optional<Path> cgroup(String name) throws IOException {
        try {
            return RecordFile.small(path.resolve("cgroup"))
                    .map(Path::of)
                    .filter(group -> group.isAbsolute() && group.endsWith(name));
        } catch (InvalidPathException e) {
            return Optional.empty(); // damaged record: the processes are found by other means
        }
    }

    /** Records the cgroup, without a sync: no cgroup survives a power loss. */
    public void record(Path cgroup) throws IOException {
        PrivateFiles.write(path.resolve("cgroup"), cgroup.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The perch's records, in the order of its file descriptors. */
    public List<Path> records() {
        return List.of(path.resolve("start"), path.resolve("exit"));
    }

    /** Creates the records as empty files and syncs the directory, so that a perch needs to sync only the file it writes. */
    public void createRecords() throws IOException {
        if (makeRecords()) PrivateFiles.sync(path);
    }

    private boolean makeRecords() throws IOException {
        boolean created = false;
        for (var file : records()) {
            if (PrivateFiles.exists(file) && Files.size(file) == 0) continue;
            Files.deleteIfExists(file); // not an empty regular file: opening a pipe, for instance, would fail
            PrivateFiles.open(file, StandardOpenOption.CREATE_NEW).close();
            created = true;
        }
        return created;
    }

    /** The record that the perch writes before the agent's first instruction. */
    public record StartRecord(ProcessId perch, ProcessId agent, String bootId, boolean grouped) {}

    @Override
    public Optional<StartRecord> start() throws IOException {
        return record(
                "start",
                json -> new StartRecord(
                        process(json, "perch"),
                        process(json, "agent"),
                        RecordFile.text(json, "boot_id"),
                        json.path("grouped").asBoolean(false)));
    }

    /** A damaged record counts as absent. */
    private <T> Optional<T> record(String name, Function<JsonNode, T> parser) throws IOException {
        try {
            return RecordFile.small(path.resolve(name)).map(JSON::readTree).map(parser);
        } catch (JacksonException | RecordFile.DamagedRecordException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static ProcessId process(JsonNode json, String role) {
        return new ProcessId(
                RecordFile.number(json, role + "_pid", 1, Integer.MAX_VALUE),
                RecordFile.number(json, role + "_start", 0, Long.MAX_VALUE));
    }

    @Override
    public Optional<Exit> exit() throws IOException {
        return record(
                "exit",
                json -> new Exit(
                        Math.toIntExact(RecordFile.number(json, "status", 0, HIGHEST_STATUS)),
                        RecordFile.flag(json, "signaled")));
    }

    /** The fence mark, if this node killed the attempt because another node owns it. Such an attempt gets no exit record. */
    public Optional<FenceMark> fenced() throws IOException {
        return record(
                "fenced",
                json -> new FenceMark(Instant.parse(RecordFile.text(json, "at")), RecordFile.text(json, "why")));
    }

    public void record(FenceMark fenceMark) throws IOException {
        var json = JSON.createObjectNode().put("at", fenceMark.at().toString()).put("why", fenceMark.why());
        PrivateFiles.replace(path.resolve("fenced"), "fenced.tmp", JSON.writeValueAsString(json) + "\n");
    }

    /** Removes the fence mark of an attempt that this home owns again and whose agent never started. */
    public void unfence() throws IOException {
        Files.deleteIfExists(path.resolve("fenced"));
    }

    /** Whether a perch of this attempt ever started or was revoked. */
    public boolean hasBegun() {
        return spawns() > 0;
    }

    /** The number of perches launched for this attempt, revoked ones included. */
    public int spawns() {
        int n = 0;
        while (PrivateFiles.exists(begun(n + 1))) n++;
        return n;
    }

    /**
     * {@code begun.<n>}: the start claim of a perch. The perch creates its file before anything else and exits if the file
     * exists. A daemon revokes a perch by creating the file first.
     */
    private Path begun(int spawn) {
        return path.resolve("begun." + spawn);
    }

    @Override
    public BegunRecord beginning() throws IOException {
        int last = spawns();
        if (last == 0) return new BegunRecord.NoRecord();
        String text = RecordFile.small(begun(last)).orElse("").strip();
        if (text.equals(REVOKED)) return new BegunRecord.RevokedRecord();
        var fields = BEGUN.matcher(text);
        if (!fields.matches()) return new BegunRecord.UnsignedRecord();
        return new BegunRecord.StartedByPerch(
                new ProcessId(Long.parseLong(fields.group(1)), Long.parseLong(fields.group(2))), fields.group(3));
    }

    @Override
    public boolean isThere() {
        return Files.isDirectory(path);
    }

    @Override
    public boolean revoke() throws IOException {
        var file = begun(spawns() + 1);
        try (var channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW)) {
            channel.write(ByteBuffer.wrap(REVOKED.getBytes(StandardCharsets.UTF_8)));
            return true;
        } catch (FileAlreadyExistsException e) {
            if (PrivateFiles.exists(file)) return false;
            throw new IOException(file + " was not created by a perch and is not a regular file; remove it", e);
        }
    }

    /** Restores the user's read and write permissions, which the agent may have removed. */
    public void repairModes() throws IOException {
        PrivateFiles.allow(Objects.requireNonNull(path.getParent()), PrivateFiles.DIRECTORY);
        PrivateFiles.allow(path, PrivateFiles.DIRECTORY);
        for (var file : List.of(out(), err(), result())) PrivateFiles.allow(file, PrivateFiles.FILE);
        for (var file : records()) PrivateFiles.allow(file, PrivateFiles.FILE);
    }

    /** The total size of the files that the agent and its perch write. */
    public long bytesWritten() throws IOException {
        return PrivateFiles.size(out()) + PrivateFiles.size(err()) + PrivateFiles.size(path.resolve("exit"));
    }

    /** The time of the last write by the agent or its perch. */
    public Optional<Instant> lastSignOfLife() {
        return Stream.of("start", "out", "err", "exit")
                .flatMap(file -> lastWritten(file).stream())
                .max(Instant::compareTo);
    }

    /** The time at which the perch recorded the exit. No daemon may have been running then. */
    public Optional<Instant> endedAt() {
        return lastWritten("exit");
    }

    private Optional<Instant> lastWritten(String name) {
        var file = path.resolve(name);
        try {
            return PrivateFiles.size(file) > 0
                    ? Optional.of(Files.getLastModifiedTime(file).toInstant())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
