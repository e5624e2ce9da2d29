package dev.roost.luggage;

import dev.roost.worktrees.Checkpoint;
import dev.roost.worktrees.Worktree;
import dev.roost.worktrees.Worktrees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Packs what a run takes along on one machine, and unpacks it on another. */
public final class Luggages {

    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{0,127}");

    private final Worktrees worktrees;
    private final Path scratch;
    private final Limits limits;

    /** @param scratch a private directory in the home, for pieces while they are packed and unpacked */
    public Luggages(Worktrees worktrees, Path scratch, Limits limits) {
        this.worktrees = worktrees;
        this.scratch = scratch;
        this.limits = limits;
    }

    /** Removes what a crash left in the scratch; to be called when nobody packs. */
    public void clear() {
        if (!Files.isDirectory(scratch)) return;
        try (var left = Files.newDirectoryStream(scratch, Hold.NAMES + "*")) {
            for (var folder : left) Hold.delete(folder);
        } catch (IOException e) {
            throw Refusal.files(e);
        }
    }

    /** Whether conversations of this driver's agents can be moved, as far as is known without looking. */
    public static boolean knows(String driver) {
        return driver.equals("acp") || Tool.named(driver).isPresent();
    }

    static boolean isSession(String text) {
        return SESSION.matcher(text).matches();
    }

    /**
     * Packs the conversation as far as it is written down and the worktree's latest checkpoint. The agent may be at work
     * meanwhile. Without a conversation, the agent's cannot be moved; without work, there is none.
     */
    public Luggage pack(Traveller traveller) {
        try {
            var hold = Hold.under(scratch);
            try {
                var conversation = conversation(traveller, hold);
                var work = work(traveller, hold);
                return new Luggage(facts(traveller), conversation, work, hold.folder());
            } catch (IOException | RuntimeException e) {
                hold.close();
                throw e;
            }
        } catch (IOException e) {
            throw Refusal.files(e);
        }
    }

    private static Facts facts(Traveller traveller) {
        var cwd = traveller.seat().cwd().toAbsolutePath().normalize();
        var inside = traveller
                .worktree()
                .map(worktree -> worktree.path().toAbsolutePath().normalize())
                .filter(cwd::startsWith)
                .map(top -> top.relativize(cwd).toString())
                .orElse("");
        return new Facts(traveller.run(), traveller.attempt(), traveller.driver(), inside);
    }

    private Optional<Conversation> conversation(Traveller traveller, Hold hold) throws IOException {
        var session = traveller.session().filter(Luggages::isSession);
        if (session.isEmpty()) return Optional.empty();
        for (var tool : tools(traveller)) {
            var found = tool.pack(traveller.seat(), session.get(), hold, limits.conversation());
            if (found.isPresent()) return found;
        }
        return Optional.empty();
    }

    /** Whatever speaks ACP keeps its conversations like one of those that are known, or cannot be moved. */
    private static List<Tool> tools(Traveller traveller) {
        if (!traveller.driver().equals("acp"))
            return Tool.named(traveller.driver()).stream().toList();
        boolean openCode = traveller.seat().program().stream()
                .findFirst()
                .filter(program -> Path.of(program).endsWith("opencode"))
                .isPresent();
        return Tool.ALL.stream()
                .filter(tool -> openCode == tool.name().equals("opencode"))
                .toList();
    }

    private Optional<Work> work(Traveller traveller, Hold hold) throws IOException {
        if (traveller.worktree().isEmpty()) return Optional.empty();
        var worktree = traveller.worktree().get();
        var latest = worktrees.latest(worktree);
        if (latest.isEmpty()) return Optional.empty();
        return Optional.of(
                traveller.pushedTo().isPresent()
                        ? pushed(worktree, latest.get(), traveller.pushedTo())
                        : bundled(worktree, latest.get(), hold));
    }

    private Work pushed(Worktree worktree, Checkpoint latest, Optional<String> remote) {
        var parcel = worktrees.describe(worktree, latest);
        return new Work(parcel, worktree.base(), worktree.target(), remote, Optional.empty());
    }

    private Work bundled(Worktree worktree, Checkpoint latest, Hold hold) throws IOException {
        var file = hold.next();
        var parcel = worktrees.wrap(worktree, latest, file, limits.work());
        var piece = hold.whole("work.bundle", file);
        return new Work(parcel, worktree.base(), worktree.target(), Optional.empty(), Optional.of(piece));
    }

    public Luggage read(InputStream from) {
        return Luggage.read(from, scratch, limits);
    }

    /**
     * Takes the checkpoint into the repository here, as the latest of the run: {@link Worktrees#ensure} makes the worktree
     * from it. What an earlier attempt left in that worktree on this machine is kept and goes.
     */
    public Optional<Checkpoint> unpackWork(Luggage luggage, Worktree worktree, Path kept, Instant at) {
        if (!luggage.facts().run().equals(worktree.run()))
            throw Refusal.bad("it is that of " + luggage.facts().run());
        if (luggage.work().isEmpty()) return Optional.empty();
        var work = luggage.work().get();
        if (work.bundle().isPresent())
            return Optional.of(worktrees.receive(
                    worktree, work.parcel(), work.bundle().get().file(), kept, at));
        var remote = work.remote().orElseThrow(() -> Refusal.bad("its work is neither in it nor anywhere else"));
        return Optional.of(worktrees.fetch(worktree, work.parcel(), remote, kept, at));
    }

    /** Puts the conversation where the agent finds it when it is resumed on this seat, whose directory must be there. */
    public Optional<String> unpackConversation(Luggage luggage, Seat seat) {
        if (luggage.conversation().isEmpty()) return Optional.empty();
        var conversation = luggage.conversation().get();
        var tool = Tool.named(conversation.tool())
                .orElseThrow(() -> Refusal.bad("nobody here knows \"%s\"".formatted(conversation.tool())));
        if (!isSession(conversation.session()) || conversation.pieces().isEmpty())
            throw Refusal.bad("its conversation is empty");
        try (var hold = Hold.under(scratch)) {
            tool.unpack(conversation, seat, hold);
            return Optional.of(conversation.session());
        } catch (IOException e) {
            throw Refusal.files(e);
        }
    }
}
