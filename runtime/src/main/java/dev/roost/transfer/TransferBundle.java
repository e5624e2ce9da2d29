package dev.roost.transfer;

import dev.roost.git.SafeMove;
import dev.roost.git.worktree.CheckpointDescriptor;
import dev.roost.model.RunId;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The files of a run that another machine needs to continue it. They are in a temporary folder, which {@link #close} deletes.
 *
 * <p>The byte format: a line with the version, the length of the entry list, the list as JSON, and then the content of each
 * entry. A reader checks each entry against the list, and accepts no bytes after the last entry.
 */
public record TransferBundle(
        BundleHeader header, Optional<SessionFiles> conversation, Optional<BundledCheckpoint> work, Path folder)
        implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String NAME = "roost luggage "; // part of the format
    private static final int VERSION = 1;
    private static final int MAX_LIST_BYTES = 1 << 20;
    private static final int MAX_ENTRIES = 2_000;

    public void write(OutputStream to) throws IOException {
        var out = new DataOutputStream(to);
        out.write((NAME + VERSION + "\n").getBytes(StandardCharsets.US_ASCII));
        var list = list().toString().getBytes(StandardCharsets.UTF_8);
        out.writeInt(list.length);
        out.write(list);
        if (conversation.isPresent()) for (var entry : conversation.get().pieces()) Files.copy(entry.file(), out);
        var checkpoint = work.flatMap(BundledCheckpoint::bundle);
        if (checkpoint.isPresent()) Files.copy(checkpoint.get().file(), out);
        out.flush();
    }

    private ObjectNode list() {
        var list = JSON.createObjectNode();
        list.put("run", header.run().text())
                .put("attempt", header.attempt())
                .put("driver", header.driver())
                .put("inside", header.inside());
        conversation.ifPresent(conversation -> {
            var one = list.putObject("conversation")
                    .put("tool", conversation.tool())
                    .put("session", conversation.session());
            var pieces = one.putArray("pieces");
            conversation.pieces().forEach(entry -> pieces.add(listed(entry)));
        });
        work.ifPresent(bundledCheckpoint -> {
            var one = list.putObject("work")
                    .put("ref", bundledCheckpoint.descriptor().ref())
                    .put("commit", bundledCheckpoint.descriptor().commit())
                    .put("base", bundledCheckpoint.base());
            bundledCheckpoint.descriptor().tip().ifPresent(tip -> one.put("tip", tip));
            bundledCheckpoint.target().ifPresent(target -> one.put("target", target));
            bundledCheckpoint.remote().ifPresent(remote -> one.put("remote", remote));
            bundledCheckpoint.bundle().ifPresent(entry -> one.set("bundle", listed(entry)));
        });
        return list;
    }

    private static ObjectNode listed(BundleEntry entry) {
        return JSON.createObjectNode()
                .put("name", entry.name())
                .put("bytes", entry.bytes())
                .put("sha256", entry.sha256());
    }

    /** Reads and checks a whole bundle that {@link #write} wrote. */
    public static TransferBundle read(InputStream from, Path scratch, BundleLimits limits) {
        try {
            var in = new DataInputStream(new BufferedInputStream(from));
            version(in);
            int length = in.readInt();
            if (length < 0 || length > MAX_LIST_BYTES) throw BundleRefusal.bad("its entry list is too long");
            var list = in.readNBytes(length);
            if (list.length < length) throw new EOFException();
            return readBundle(JSON.readTree(list), in, scratch, limits);
        } catch (EOFException e) {
            throw BundleRefusal.bad("it is truncated");
        } catch (JacksonException e) {
            throw BundleRefusal.bad("its entry list cannot be read");
        } catch (IOException e) {
            throw BundleRefusal.files(e);
        }
    }

    private static void version(DataInputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            line.append((char) c);
            if (line.length() > 40
                    || !line.toString().startsWith(NAME.substring(0, Math.min(NAME.length(), line.length()))))
                throw BundleRefusal.bad("it is not a transfer bundle");
        }
        var version = line.substring(Math.min(NAME.length(), line.length()));
        if (!version.equals(Integer.toString(VERSION)))
            throw BundleRefusal.bad(
                    "it has format version \"%s\", and this Roost reads version %d; use the same release on all machines"
                            .formatted(version, VERSION));
    }

    private static TransferBundle readBundle(JsonNode list, DataInputStream in, Path scratch, BundleLimits limits)
            throws IOException {
        requireFieldsOf(list, Set.of("run", "attempt", "driver", "inside", "conversation", "work"));
        var header = new BundleHeader(
                RunId.parse(text(list, "run")).orElseThrow(() -> BundleRefusal.bad("it has no valid run id")),
                list.path("attempt").asInt(0),
                text(list, "driver"),
                inside(text(list, "inside")));
        var directory = BundleDirectory.under(scratch);
        try {
            Optional<SessionFiles> conversation = list.has("conversation")
                    ? Optional.of(conversation(list.path("conversation"), in, directory, limits))
                    : Optional.empty();
            Optional<BundledCheckpoint> work =
                    list.has("work") ? Optional.of(work(list.path("work"), in, directory, limits)) : Optional.empty();
            if (in.read() >= 0) throw BundleRefusal.bad("it has more bytes than its entry list says");
            return new TransferBundle(header, conversation, work, directory.folder());
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    private static String inside(String path) {
        if (path.startsWith("/") || List.of(path.split("/", -1)).contains(".."))
            throw BundleRefusal.bad("\"%s\" is not a directory in a worktree".formatted(path));
        return path;
    }

    private static SessionFiles conversation(
            JsonNode listed, DataInputStream in, BundleDirectory directory, BundleLimits limits) throws IOException {
        requireFieldsOf(listed, Set.of("tool", "session", "pieces"));
        var session = text(listed, "session");
        if (!BundlePacker.isSession(session)) throw BundleRefusal.bad("\"%s\" is not a session id".formatted(session));
        if (listed.path("pieces").size() > MAX_ENTRIES) throw BundleRefusal.bad("it has too many entries");
        var pieces = new ArrayList<BundleEntry>();
        long left = limits.conversation();
        for (var one : listed.path("pieces")) {
            var entry = entry(one, in, directory, left, "The conversation");
            left -= entry.bytes();
            pieces.add(entry);
        }
        return new SessionFiles(text(listed, "tool"), session, pieces);
    }

    private static BundledCheckpoint work(
            JsonNode listed, DataInputStream in, BundleDirectory directory, BundleLimits limits) throws IOException {
        requireFieldsOf(listed, Set.of("ref", "commit", "base", "tip", "target", "remote", "bundle"));
        Optional<BundleEntry> bundle = listed.has("bundle")
                ? Optional.of(entry(listed.path("bundle"), in, directory, limits.work(), "The work"))
                : Optional.empty();
        return new BundledCheckpoint(
                new CheckpointDescriptor(text(listed, "ref"), text(listed, "commit"), optionalText(listed, "tip")),
                text(listed, "base"),
                optionalText(listed, "target"),
                optionalText(listed, "remote"),
                bundle);
    }

    private static BundleEntry entry(
            JsonNode listed, DataInputStream in, BundleDirectory directory, long most, String what) throws IOException {
        requireFieldsOf(listed, Set.of("name", "bytes", "sha256"));
        var name = text(listed, "name");
        long bytes = listed.path("bytes").asLong(-1);
        if (!ConfinedDirectory.staysBelow(name))
            throw BundleRefusal.bad("\"%s\" is not a valid file name".formatted(name));
        if (bytes < 0) throw BundleRefusal.bad("\"%s\" has no length".formatted(name));
        if (bytes > most) throw BundleRefusal.tooBig(what, most);
        var entry = directory.receive(name, in, bytes);
        if (!entry.sha256().equals(text(listed, "sha256")))
            throw BundleRefusal.bad("\"%s\" is damaged".formatted(name));
        return entry;
    }

    private static String text(JsonNode object, String field) {
        return optionalText(object, field)
                .orElseThrow(() -> BundleRefusal.bad("its entry list has no field \"" + field + "\""));
    }

    private static Optional<String> optionalText(JsonNode object, String field) {
        return object.path(field).isString() ? object.path(field).asStringOpt() : Optional.empty();
    }

    private static void requireFieldsOf(JsonNode object, Set<String> fields) {
        if (!object.isObject()) throw BundleRefusal.bad("its entry list cannot be read");
        for (var name : object.propertyNames())
            if (!fields.contains(name))
                throw BundleRefusal.bad("its entry list has an unknown field \"%s\"".formatted(name));
    }

    /** A hash that changes when the conversation or the work changes. */
    public String fingerprint() {
        var text = new StringBuilder();
        conversation.ifPresent(one -> one.pieces()
                .forEach(entry -> text.append(entry.name())
                        .append(' ')
                        .append(entry.sha256())
                        .append('\n')));
        work.ifPresent(one -> text.append(one.descriptor()).append(one.remote()));
        return HexFormat.of()
                .formatHex(BundleDirectory.sha256().digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        try {
            SafeMove.delete(folder);
        } catch (IOException e) {
            System.getLogger(TransferBundle.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the files of a transfer bundle could not be removed: " + folder,
                            e);
        }
    }

    /**
     * The latest checkpoint of a worktree.
     *
     * @param base the commit from which the run started
     * @param target the branch into which the work is to go
     * @param remote the remote to which the checkpoint was pushed; then the bundle does not contain it
     */
    public record BundledCheckpoint(
            CheckpointDescriptor descriptor,
            String base,
            Optional<String> target,
            Optional<String> remote,
            Optional<BundleEntry> bundle) {}

    /**
     * The run of a transfer bundle.
     *
     * @param attempt the latest attempt when the bundle was packed
     * @param inside the run's directory inside its worktree; empty for the top, or without a worktree
     */
    public record BundleHeader(RunId run, int attempt, String driver, String inside) {}
}
