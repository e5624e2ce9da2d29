package dev.roost.home;

import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code runs/<run_id>/<attempt>/}: what one attempt was given, and what its perch recorded. */
public record AttemptDirectory(Path path) implements PerchMarks {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int HIGHEST_STATUS = 255;

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

    /** What to run is written here once, before the attempt is queued; {@code input} is its standard input, or the first of it. */
    public void create(AttemptSpec spec, Map<String, String> environment, Optional<String> prompt, String input)
            throws IOException {
        Home.privateDirectory(path);
        makeRecords();
        PrivateFiles.writeDurably(path.resolve("spec.json"), spec.json(environment));
        switch (spec.input()) {
            case NOTHING -> {}
            case FILE -> PrivateFiles.writeDurably(path.resolve("stdin"), input.getBytes(StandardCharsets.UTF_8));
            case PIPE -> PrivateFiles.writeDurably(line(1), (input + "\n").getBytes(StandardCharsets.UTF_8));
        }
        if (prompt.isPresent()) PrivateFiles.writeDurably(prompt(), prompt.get().getBytes(StandardCharsets.UTF_8));
        PrivateFiles.sync(path);
    }

    /** What is run before the agent. */
    public SetupCommand setup() {
        return new SetupCommand(path);
    }

    /** Whether what to run is written here: somebody may have removed it. */
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
        var known = AttemptSpec.environment(specText());
        return known.isPresent() ? known.get() : earlierEnvironment();
    }

    /** Where a daemon of an earlier version wrote it. */
    private Map<String, String> earlierEnvironment() throws IOException {
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

    private Path line(int n) {
        return path.resolve("in." + n);
    }

    /** Gives the agent a further line, or the end of its input; doing so again changes nothing. */
    public void addInputLine(int n, Optional<String> text) throws IOException {
        if (!Files.isDirectory(path)) return; // removed: there is nobody to read it
        var file = text.isPresent() ? line(n) : path.resolve("in.end");
        if (!PrivateFiles.exists(file)) {
            var temporary = path.resolve("in.tmp");
            PrivateFiles.writeDurably(
                    temporary, text.map(line -> line + "\n").orElse("").getBytes(StandardCharsets.UTF_8));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        }
        signalPerch();
    }

    /** Tells the perch to look for lines. Opened for both, a pipe makes nobody wait. */
    private void signalPerch() throws IOException {
        var bell = path.resolve("bell");
        if (!Files.exists(bell, LinkOption.NOFOLLOW_LINKS)) return; // not there yet: it looks when it begins
        try (var channel = FileChannel.open(
                bell, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
    }

    /** Writes the agent's answer to its result file. */
    public void writeResult(String text) throws IOException {
        var temporary = path.resolve("result.tmp");
        PrivateFiles.writeDurably(temporary, text.getBytes(StandardCharsets.UTF_8));
        Files.move(temporary, result(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The group called {@code name} that was made for this attempt, if what is written here names it. */
    public Optional<Path> cgroup(String name) throws IOException {
        try {
            return RecordFile.small(path.resolve("cgroup"))
                    .map(Path::of)
                    .filter(group -> group.isAbsolute() && group.endsWith(name));
        } catch (InvalidPathException e) {
            return Optional.empty(); // damaged: its processes are found by other means
        }
    }

    /** Not durably: no group outlives a loss of power. */
    public void record(Path cgroup) throws IOException {
        PrivateFiles.write(path.resolve("cgroup"), cgroup.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** What a perch writes down, in the order in which it has them open. */
    public List<Path> records() {
        return List.of(path.resolve("start"), path.resolve("exit"));
    }

    /** Makes the records as empty files, as durable as their directory: what a perch adds to them is then durable by itself. */
    public void createRecords() throws IOException {
        if (makeRecords()) PrivateFiles.sync(path);
    }

    private boolean makeRecords() throws IOException {
        boolean made = false;
        for (var file : records()) {
            if (PrivateFiles.exists(file) && Files.size(file) == 0) continue;
            Files.deleteIfExists(file); // what is no file, a pipe say, could not even be opened
            PrivateFiles.open(file, StandardOpenOption.CREATE_NEW).close();
            made = true;
        }
        return made;
    }

    /** What the perch recorded before the agent's first instruction. */
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

    /** A record is whole or absent; one that a failing disk has damaged counts as absent. */
    private <T> Optional<T> record(String name, Function<JsonNode, T> meaning) throws IOException {
        try {
            return RecordFile.small(path.resolve(name)).map(JSON::readTree).map(meaning);
        } catch (JacksonException | RecordFile.DamagedRecordException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static ProcessId process(JsonNode json, String who) {
        return new ProcessId(
                RecordFile.number(json, who + "_pid", 1, Integer.MAX_VALUE),
                RecordFile.number(json, who + "_start", 0, Long.MAX_VALUE));
    }

    @Override
    public Optional<Exit> exit() throws IOException {
        return record(
                "exit",
                json -> new Exit(
                        Math.toIntExact(RecordFile.number(json, "status", 0, HIGHEST_STATUS)),
                        RecordFile.flag(json, "signaled")));
    }

    /** That it was ended because it was not this home's any more, and why; then there is no exit record, and never will be. */
    public Optional<FenceMark> fenced() throws IOException {
        return record(
                "fenced",
                json -> new FenceMark(Instant.parse(RecordFile.text(json, "at")), RecordFile.text(json, "why")));
    }

    public void record(FenceMark fenceMark) throws IOException {
        var json = JSON.createObjectNode().put("at", fenceMark.at().toString()).put("why", fenceMark.why());
        var temporary = path.resolve("fenced.tmp");
        PrivateFiles.writeDurably(temporary, (JSON.writeValueAsString(json) + "\n").getBytes(StandardCharsets.UTF_8));
        Files.move(
                temporary, path.resolve("fenced"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** For one that is this home's again, and whose agent never began. */
    public void unfence() throws IOException {
        Files.deleteIfExists(path.resolve("fenced"));
    }

    /** Whether a perch ever began here. */
    public boolean hasBegun() {
        return spawns() > 0;
    }

    /** How often a perch was sent off for this attempt, counting those told not to begin. */
    public int spawns() {
        return beginnings().count();
    }

    @Override
    public BegunRecord beginning() throws IOException {
        return beginnings().last();
    }

    @Override
    public boolean isThere() {
        return Files.isDirectory(path);
    }

    @Override
    public boolean revoke() throws IOException {
        return beginnings().revoke();
    }

    private BegunFiles beginnings() {
        return new BegunFiles(path);
    }

    /** Whatever the agent did to the modes of its own files: they are their user's to read, and the perch's to write. */
    public void repairModes() throws IOException {
        PrivateFiles.allow(Objects.requireNonNull(path.getParent()), PrivateFiles.DIRECTORY);
        PrivateFiles.allow(path, PrivateFiles.DIRECTORY);
        for (var file : List.of(out(), err(), result())) PrivateFiles.allow(file, PrivateFiles.FILE);
        for (var file : records()) PrivateFiles.allow(file, PrivateFiles.FILE);
    }

    /** How much there is of what the agent and its perch write. */
    public long bytesWritten() throws IOException {
        return PrivateFiles.size(out()) + PrivateFiles.size(err()) + PrivateFiles.size(path.resolve("exit"));
    }

    /** When the agent, or its perch, last wrote anything. */
    public Optional<Instant> lastSignOfLife() {
        return Stream.of("start", "out", "err", "exit")
                .flatMap(file -> lastWritten(file).stream())
                .max(Instant::compareTo);
    }

    /** When the exit was recorded, which may be long before a daemon was there to see it. */
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
