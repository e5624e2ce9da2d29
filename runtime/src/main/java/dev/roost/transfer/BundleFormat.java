package dev.roost.transfer;

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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Luggage as bytes: a line with its version, the length of a list in JSON, that list, and then each piece on it, one after the
 * other. Every piece is checked against the list, and nothing may follow the last.
 */
final class BundleFormat {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String NAME = "roost luggage ";
    private static final int VERSION = 1;
    private static final int LONGEST_LIST = 1 << 20;
    private static final int MOST_PIECES = 2_000;

    private BundleFormat() {}

    static void write(TransferBundle luggage, OutputStream to) throws IOException {
        var out = new DataOutputStream(to);
        out.write((NAME + VERSION + "\n").getBytes(StandardCharsets.US_ASCII));
        var list = list(luggage).toString().getBytes(StandardCharsets.UTF_8);
        out.writeInt(list.length);
        out.write(list);
        if (luggage.conversation().isPresent())
            for (var piece : luggage.conversation().get().pieces()) Files.copy(piece.file(), out);
        var bundle = luggage.work().flatMap(BundledCheckpoint::bundle);
        if (bundle.isPresent()) Files.copy(bundle.get().file(), out);
        out.flush();
    }

    private static ObjectNode list(TransferBundle luggage) {
        var list = JSON.createObjectNode();
        var header = luggage.header();
        list.put("run", header.run().text())
                .put("attempt", header.attempt())
                .put("driver", header.driver())
                .put("inside", header.inside());
        luggage.conversation().ifPresent(conversation -> {
            var one = list.putObject("conversation")
                    .put("tool", conversation.tool())
                    .put("session", conversation.session());
            var pieces = one.putArray("pieces");
            conversation.pieces().forEach(piece -> pieces.add(listed(piece)));
        });
        luggage.work().ifPresent(bundledCheckpoint -> {
            var one = list.putObject("work")
                    .put("ref", bundledCheckpoint.descriptor().ref())
                    .put("commit", bundledCheckpoint.descriptor().commit())
                    .put("base", bundledCheckpoint.base());
            bundledCheckpoint.descriptor().tip().ifPresent(tip -> one.put("tip", tip));
            bundledCheckpoint.target().ifPresent(target -> one.put("target", target));
            bundledCheckpoint.remote().ifPresent(remote -> one.put("remote", remote));
            bundledCheckpoint.bundle().ifPresent(piece -> one.set("bundle", listed(piece)));
        });
        return list;
    }

    private static ObjectNode listed(BundleEntry piece) {
        return JSON.createObjectNode()
                .put("name", piece.name())
                .put("bytes", piece.bytes())
                .put("sha256", piece.sha256());
    }

    static TransferBundle read(InputStream from, Path scratch, BundleLimits limits) {
        try {
            var in = new DataInputStream(new BufferedInputStream(from));
            version(in);
            int length = in.readInt();
            if (length < 0 || length > LONGEST_LIST) throw BundleRefusal.bad("its list is too long");
            var list = in.readNBytes(length);
            if (list.length < length) throw new EOFException();
            return readBundle(JSON.readTree(list), in, scratch, limits);
        } catch (EOFException e) {
            throw BundleRefusal.bad("it is cut off");
        } catch (JacksonException e) {
            throw BundleRefusal.bad("its list cannot be read");
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
                throw BundleRefusal.bad("these bytes are no luggage");
        }
        var version = line.substring(Math.min(NAME.length(), line.length()));
        if (!version.equals(Integer.toString(VERSION)))
            throw BundleRefusal.bad(
                    "it is of version \"%s\", and this Roost knows version %d; use the same release on all machines"
                            .formatted(version, VERSION));
    }

    private static TransferBundle readBundle(JsonNode list, DataInputStream in, Path scratch, BundleLimits limits)
            throws IOException {
        only(list, Set.of("run", "attempt", "driver", "inside", "conversation", "work"));
        var header = new BundleHeader(
                RunId.parse(text(list, "run")).orElseThrow(() -> BundleRefusal.bad("it names no run")),
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
            if (in.read() >= 0) throw BundleRefusal.bad("there is more of it than is on its list");
            return new TransferBundle(header, conversation, work, directory.folder());
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    private static String inside(String path) {
        if (path.startsWith("/") || List.of(path.split("/", -1)).contains(".."))
            throw BundleRefusal.bad("\"%s\" is no directory in a worktree".formatted(path));
        return path;
    }

    private static SessionFiles conversation(
            JsonNode listed, DataInputStream in, BundleDirectory directory, BundleLimits limits) throws IOException {
        only(listed, Set.of("tool", "session", "pieces"));
        var session = text(listed, "session");
        if (!BundlePacker.isSession(session)) throw BundleRefusal.bad("\"%s\" is no session".formatted(session));
        if (listed.path("pieces").size() > MOST_PIECES) throw BundleRefusal.bad("it has too many pieces");
        var pieces = new ArrayList<BundleEntry>();
        long left = limits.conversation();
        for (var one : listed.path("pieces")) {
            var piece = piece(one, in, directory, left, "The conversation");
            left -= piece.bytes();
            pieces.add(piece);
        }
        return new SessionFiles(text(listed, "tool"), session, pieces);
    }

    private static BundledCheckpoint work(
            JsonNode listed, DataInputStream in, BundleDirectory directory, BundleLimits limits) throws IOException {
        only(listed, Set.of("ref", "commit", "base", "tip", "target", "remote", "bundle"));
        Optional<BundleEntry> bundle = listed.has("bundle")
                ? Optional.of(piece(listed.path("bundle"), in, directory, limits.work(), "The work"))
                : Optional.empty();
        return new BundledCheckpoint(
                new CheckpointDescriptor(text(listed, "ref"), text(listed, "commit"), maybe(listed, "tip")),
                text(listed, "base"),
                maybe(listed, "target"),
                maybe(listed, "remote"),
                bundle);
    }

    private static BundleEntry piece(
            JsonNode listed, DataInputStream in, BundleDirectory directory, long most, String what) throws IOException {
        only(listed, Set.of("name", "bytes", "sha256"));
        var name = text(listed, "name");
        long bytes = listed.path("bytes").asLong(-1);
        if (!ConfinedDirectory.staysBelow(name))
            throw BundleRefusal.bad("\"%s\" is no name of a file of its own".formatted(name));
        if (bytes < 0) throw BundleRefusal.bad("\"%s\" has no length".formatted(name));
        if (bytes > most) throw BundleRefusal.tooBig(what, most);
        var piece = directory.receive(name, in, bytes);
        if (!piece.sha256().equals(text(listed, "sha256")))
            throw BundleRefusal.bad("\"%s\" is damaged".formatted(name));
        return piece;
    }

    private static String text(JsonNode object, String field) {
        return maybe(object, field).orElseThrow(() -> BundleRefusal.bad("its list has no " + field));
    }

    private static Optional<String> maybe(JsonNode object, String field) {
        return object.path(field).isString() ? object.path(field).asStringOpt() : Optional.empty();
    }

    private static void only(JsonNode object, Set<String> fields) {
        if (!object.isObject()) throw BundleRefusal.bad("its list cannot be read");
        for (var name : object.propertyNames())
            if (!fields.contains(name)) throw BundleRefusal.bad("its list has a field \"%s\"".formatted(name));
    }
}
