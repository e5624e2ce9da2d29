package dev.roost.luggage;

import dev.roost.rescue.Places;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Codex: {@code sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl}. Its databases it makes again from that. */
final class CodexFiles implements Tool {

    private static final int YEAR_MONTH_DAY_FILE = 4;
    private static final Pattern ROLLOUT =
            Pattern.compile("\\d{4}/\\d{2}/\\d{2}/rollout-[0-9T-]{10,30}-([A-Za-z0-9_-]+)\\.jsonl");

    @Override
    public String name() {
        return "codex";
    }

    @Override
    public Optional<Conversation> pack(Seat seat, String session, Hold hold, long most) throws IOException {
        var sessions = sessions(seat);
        var found = find(sessions, session);
        if (found.isEmpty()) return Optional.empty();
        if (Files.size(found.get()) > most) throw Refusal.tooBig("The conversation " + session, most);
        var piece = hold.lines(sessions.relativize(found.get()).toString(), found.get());
        if (piece.bytes() == 0) return Optional.empty();
        return Optional.of(new Conversation(name(), session, List.of(piece)));
    }

    private static Optional<Path> find(Path sessions, String session) throws IOException {
        if (!Files.isDirectory(sessions)) return Optional.empty();
        try (var files = Files.walk(sessions, YEAR_MONTH_DAY_FILE)) {
            return files.filter(file -> isOf(sessions.relativize(file).toString(), session))
                    .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .max(java.util.Comparator.naturalOrder());
        }
    }

    private static boolean isOf(String name, String session) {
        return ROLLOUT.matcher(name).matches() && name.endsWith("-" + session + ".jsonl");
    }

    @Override
    public void unpack(Conversation conversation, Seat seat, Hold hold) throws IOException {
        if (conversation.pieces().size() != 1) throw Refusal.bad("a thread of Codex is one file");
        var piece = conversation.pieces().getFirst();
        if (!isOf(piece.name(), conversation.session()))
            throw Refusal.bad("Codex has no file \"%s\"".formatted(piece.name()));
        Ground.at(sessions(seat)).lay(Map.of(piece.name(), piece));
    }

    private static Path sessions(Seat seat) {
        return Places.of(seat.environment()).codex().resolve("sessions");
    }
}
