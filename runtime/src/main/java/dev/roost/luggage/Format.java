package dev.roost.luggage;

import dev.roost.run.RunId;
import dev.roost.worktrees.Parcel;
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
final class Format {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String NAME = "roost luggage ";
    private static final int VERSION = 1;
    private static final int LONGEST_LIST = 1 << 20;
    private static final int MOST_PIECES = 2_000;

    private Format() {}

    static void write(Luggage luggage, OutputStream to) throws IOException {
        var out = new DataOutputStream(to);
        out.write((NAME + VERSION + "\n").getBytes(StandardCharsets.US_ASCII));
        var list = list(luggage).toString().getBytes(StandardCharsets.UTF_8);
        out.writeInt(list.length);
        out.write(list);
        if (luggage.conversation().isPresent())
            for (var piece : luggage.conversation().get().pieces()) Files.copy(piece.file(), out);
        var bundle = luggage.work().flatMap(Work::bundle);
        if (bundle.isPresent()) Files.copy(bundle.get().file(), out);
        out.flush();
    }

    private static ObjectNode list(Luggage luggage) {
        var list = JSON.createObjectNode();
        var facts = luggage.facts();
        list.put("run", facts.run().text())
                .put("attempt", facts.attempt())
                .put("driver", facts.driver())
                .put("inside", facts.inside());
        luggage.conversation().ifPresent(conversation -> {
            var one = list.putObject("conversation")
                    .put("tool", conversation.tool())
                    .put("session", conversation.session());
            var pieces = one.putArray("pieces");
            conversation.pieces().forEach(piece -> pieces.add(listed(piece)));
        });
        luggage.work().ifPresent(work -> {
            var one = list.putObject("work")
                    .put("ref", work.parcel().ref())
                    .put("commit", work.parcel().commit())
                    .put("base", work.base());
            work.parcel().tip().ifPresent(tip -> one.put("tip", tip));
            work.target().ifPresent(target -> one.put("target", target));
            work.remote().ifPresent(remote -> one.put("remote", remote));
            work.bundle().ifPresent(piece -> one.set("bundle", listed(piece)));
        });
        return list;
    }

    private static ObjectNode listed(Piece piece) {
        return JSON.createObjectNode()
                .put("name", piece.name())
                .put("bytes", piece.bytes())
                .put("sha256", piece.sha256());
    }

    static Luggage read(InputStream from, Path scratch, Limits limits) {
        try {
            var in = new DataInputStream(new BufferedInputStream(from));
            version(in);
            int length = in.readInt();
            if (length < 0 || length > LONGEST_LIST) throw Refusal.bad("its list is too long");
            var list = in.readNBytes(length);
            if (list.length < length) throw new EOFException();
            return unload(JSON.readTree(list), in, scratch, limits);
        } catch (EOFException e) {
            throw Refusal.bad("it is cut off");
        } catch (JacksonException e) {
            throw Refusal.bad("its list cannot be read");
        } catch (IOException e) {
            throw Refusal.files(e);
        }
    }

    private static void version(DataInputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            line.append((char) c);
            if (line.length() > 40
                    || !line.toString().startsWith(NAME.substring(0, Math.min(NAME.length(), line.length()))))
                throw Refusal.bad("these bytes are no luggage");
        }
        var version = line.substring(Math.min(NAME.length(), line.length()));
        if (!version.equals(Integer.toString(VERSION)))
            throw Refusal.bad(
                    "it is of version \"%s\", and this Roost knows version %d; use the same release on all machines"
                            .formatted(version, VERSION));
    }

    private static Luggage unload(JsonNode list, DataInputStream in, Path scratch, Limits limits) throws IOException {
        only(list, Set.of("run", "attempt", "driver", "inside", "conversation", "work"));
        var facts = new Facts(
                RunId.parse(text(list, "run")).orElseThrow(() -> Refusal.bad("it names no run")),
                list.path("attempt").asInt(0),
                text(list, "driver"),
                inside(text(list, "inside")));
        var hold = Hold.under(scratch);
        try {
            Optional<Conversation> conversation = list.has("conversation")
                    ? Optional.of(conversation(list.path("conversation"), in, hold, limits))
                    : Optional.empty();
            Optional<Work> work =
                    list.has("work") ? Optional.of(work(list.path("work"), in, hold, limits)) : Optional.empty();
            if (in.read() >= 0) throw Refusal.bad("there is more of it than is on its list");
            return new Luggage(facts, conversation, work, hold.folder());
        } catch (IOException | RuntimeException e) {
            hold.close();
            throw e;
        }
    }

    private static String inside(String path) {
        if (path.startsWith("/") || List.of(path.split("/", -1)).contains(".."))
            throw Refusal.bad("\"%s\" is no directory in a worktree".formatted(path));
        return path;
    }

    private static Conversation conversation(JsonNode listed, DataInputStream in, Hold hold, Limits limits)
            throws IOException {
        only(listed, Set.of("tool", "session", "pieces"));
        var session = text(listed, "session");
        if (!Luggages.isSession(session)) throw Refusal.bad("\"%s\" is no session".formatted(session));
        if (listed.path("pieces").size() > MOST_PIECES) throw Refusal.bad("it has too many pieces");
        var pieces = new ArrayList<Piece>();
        long left = limits.conversation();
        for (var one : listed.path("pieces")) {
            var piece = piece(one, in, hold, left, "The conversation");
            left -= piece.bytes();
            pieces.add(piece);
        }
        return new Conversation(text(listed, "tool"), session, pieces);
    }

    private static Work work(JsonNode listed, DataInputStream in, Hold hold, Limits limits) throws IOException {
        only(listed, Set.of("ref", "commit", "base", "tip", "target", "remote", "bundle"));
        Optional<Piece> bundle = listed.has("bundle")
                ? Optional.of(piece(listed.path("bundle"), in, hold, limits.work(), "The work"))
                : Optional.empty();
        return new Work(
                new Parcel(text(listed, "ref"), text(listed, "commit"), maybe(listed, "tip")),
                text(listed, "base"),
                maybe(listed, "target"),
                maybe(listed, "remote"),
                bundle);
    }

    private static Piece piece(JsonNode listed, DataInputStream in, Hold hold, long most, String what)
            throws IOException {
        only(listed, Set.of("name", "bytes", "sha256"));
        var name = text(listed, "name");
        long bytes = listed.path("bytes").asLong(-1);
        if (!Ground.staysBelow(name)) throw Refusal.bad("\"%s\" is no name of a file of its own".formatted(name));
        if (bytes < 0) throw Refusal.bad("\"%s\" has no length".formatted(name));
        if (bytes > most) throw Refusal.tooBig(what, most);
        var piece = hold.take(name, in, bytes);
        if (!piece.sha256().equals(text(listed, "sha256"))) throw Refusal.bad("\"%s\" is damaged".formatted(name));
        return piece;
    }

    private static String text(JsonNode object, String field) {
        return maybe(object, field).orElseThrow(() -> Refusal.bad("its list has no " + field));
    }

    private static Optional<String> maybe(JsonNode object, String field) {
        return object.path(field).isString() ? object.path(field).asStringOpt() : Optional.empty();
    }

    private static void only(JsonNode object, Set<String> fields) {
        if (!object.isObject()) throw Refusal.bad("its list cannot be read");
        for (var name : object.propertyNames())
            if (!fields.contains(name)) throw Refusal.bad("its list has a field \"%s\"".formatted(name));
    }
}
