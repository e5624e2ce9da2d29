package dev.roost.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Codex: {@code sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl}. Codex rebuilds its databases from these files. */
final class CodexSessionFiles implements SessionTransfer {

    private static final int YEAR_MONTH_DAY_FILE = 4;
    private static final Pattern ROLLOUT =
            Pattern.compile("\\d{4}/\\d{2}/\\d{2}/rollout-[0-9T-]{10,30}-([A-Za-z0-9_-]+)\\.jsonl");

    @Override
    public String name() {
        return "codex";
    }

    @Override
    public Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException {
        var sessions = sessions(location);
        var found = find(sessions, session);
        if (found.isEmpty()) return Optional.empty();
        if (Files.size(found.get()) > most) throw BundleRefusal.tooBig("The conversation " + session, most);
        var entry = directory.lines(sessions.relativize(found.get()).toString(), found.get());
        if (entry.bytes() == 0) return Optional.empty();
        return Optional.of(new SessionFiles(name(), session, List.of(entry)));
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
    public void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory)
            throws IOException {
        if (conversation.pieces().size() != 1) throw BundleRefusal.bad("a Codex session must be one file");
        var entry = conversation.pieces().getFirst();
        if (!isOf(entry.name(), conversation.session()))
            throw BundleRefusal.bad("\"%s\" is not a session file of Codex".formatted(entry.name()));
        ConfinedDirectory.at(sessions(location)).writeAll(Map.of(entry.name(), entry));
    }

    private static Path sessions(AgentLocation location) {
        return location.tools().codex().resolve("sessions");
    }
}
