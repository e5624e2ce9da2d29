package dev.roost.house;

import dev.roost.ledger.Attempt;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Phase;
import dev.roost.run.RunId;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads what runs say, and waits for them to say more. */
final class Outputs {

    private static final System.Logger LOG = System.getLogger(Outputs.class.getName());

    private static final int MOST_BYTES = 1 << 18;
    private static final Duration SEALED_WITHIN = Duration.ofSeconds(10);
    private static final Duration LOOKED_WITHIN = Duration.ofSeconds(3);
    private static final Duration A_WHILE = Duration.ofSeconds(2);
    private static final Duration A_MOMENT = Duration.ofMillis(100);

    private final Rooms rooms;
    private final LiveOutput live;
    private final Rewriting rewriting;

    Outputs(Rooms rooms, LiveOutput live) {
        this.rooms = rooms;
        this.live = live;
        this.rewriting = new Rewriting(rooms);
    }

    Output read(RunId id, Output.Request request) {
        long began = rooms.clock().monotonicNanos();
        try (var listener = rooms.changes().listen(id)) {
            while (true) {
                var run = rooms.ledger().runs().find(id).orElseThrow(() -> new NoSuchRun(id.text()));
                var attempt = attempt(run, request.attempt());
                boolean elsewhere = !rooms.peers().isOurs(run);
                if (elsewhere || (attempt.status().ended() && rooms.peers().any()))
                    bring(run); // another may have added its last lines
                long waited = rooms.clock().monotonicNanos() - began;
                boolean late = waited >= request.timeout().toNanos();
                boolean enough = switch (request.until()) {
                    case NOW -> true;
                    case NEWS -> attempt.status().ended() || hasNews(run, attempt, request.cursor());
                    case END -> attempt.status().ended() && isAllThere(run, attempt);
                };
                if (enough || late) return reply(run, attempt, request, Duration.ofNanos(waited), !enough);
                long left = request.timeout().toNanos() - waited;
                boolean soon = attempt.status().ended() || (elsewhere && request.until() == Output.Until.NEWS);
                var most = soon ? A_MOMENT : elsewhere ? A_WHILE : request.timeout(); // news of others may get lost
                listener.await(Math.min(left, most.toNanos()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + id, e);
        }
    }

    /** Where its code is follows its end within moments, as a long result does on other nodes; if not, nobody waits for it. */
    private boolean isAllThere(Run run, Attempt attempt) {
        boolean looked = run.work().filter(work -> work.looked() < attempt.n()).isEmpty();
        boolean result = !rooms.peers().any()
                || attempt.resultBytes() <= Result.LEDGER_LIMIT
                || PrivateFiles.exists(resultFile(run, attempt));
        if (looked && result) return true;
        var ended = attempt.endedAt().orElseThrow();
        return Duration.between(ended, rooms.clock().now()).abs().compareTo(LOOKED_WITHIN) > 0;
    }

    String tail(Run run, int most) {
        if (!rooms.peers().isOurs(run) || (run.status().ended() && rooms.peers().any())) bring(run);
        try {
            return PrivateFiles.tail(rooms.home().run(run.id()).output(), most);
        } catch (IOException e) {
            return ""; // removed by hand
        }
    }

    /** Who cannot have all of it now reads what is here. */
    private void bring(Run run) {
        try {
            rooms.peers().fetch(run, () -> live.isTaken(run.id()));
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, run.id() + ": its files could not be brought here", e);
        }
    }

    /** The run once it has ended; or as it is if another node has it that is not heard of. */
    Run awaitEnd(RunId id) {
        var slice = rooms.peers().any() ? A_WHILE : Duration.ofDays(1);
        while (true) {
            var output = read(id, new Output.Request(Optional.empty(), 0, Output.Until.END, slice));
            boolean silent = !rooms.peers().waits(List.of(output.run())).isEmpty();
            if (!output.timedOut() || silent) return output.run();
        }
    }

    /** Returns once output.md has its last lines, which follow the end at once; false if they do not. */
    boolean awaitSealed(RunId id) {
        try (var listener = rooms.changes().listen(id)) {
            long began = rooms.clock().monotonicNanos();
            while (rooms.ledger().runs().unsealed(id).isPresent()) {
                if (rooms.clock().monotonicNanos() - began > SEALED_WITHIN.toNanos()) return false;
                listener.await(Duration.ofSeconds(1).toNanos());
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + id, e);
        }
    }

    private Attempt attempt(Run run, Optional<Integer> wanted) {
        if (wanted.isEmpty() || wanted.get() == run.latest().n()) return run.latest();
        return rooms.ledger().runs().attempts(run.id()).stream()
                .filter(attempt -> attempt.n() == wanted.get())
                .findFirst()
                .orElseThrow(() -> new BadInput(
                        "no_such_attempt",
                        "Run %s has no attempt %d.".formatted(run.id(), wanted.get()),
                        "Its attempts are 1 to %d.".formatted(run.latest().n())));
    }

    long length(Run run) {
        return length(run, run.latest());
    }

    private long length(Run run, Attempt attempt) {
        if (attempt.status().ended()) return attempt.position().outputBytes();
        return live.outputLength(run.id()).orElseGet(() -> known(run, attempt));
    }

    /** Of a run that another node has, what came here. */
    private long known(Run run, Attempt attempt) {
        try {
            if (!rooms.peers().isOurs(run))
                return PrivateFiles.size(rooms.home().run(run.id()).output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return attempt.position().outputBytes();
    }

    /** Half a character is no news yet. */
    private boolean hasNews(Run run, Attempt attempt, long cursor) {
        long end = length(run, attempt);
        return end > cursor && chunk(run.id(), cursor, end, false).length > 0;
    }

    private Output reply(Run run, Attempt attempt, Output.Request request, Duration waited, boolean timedOut) {
        long end = length(run, attempt);
        boolean ended = attempt.status().ended();
        long from = Math.min(request.cursor(), end);
        if (run.status().ended()) rewriting.restore(run);
        var chunk = chunk(run.id(), from, end, ended);
        // a daemon that came back may still be carrying over what its reader has already seen: that is not told again
        long next = ended ? from + chunk.length : Math.max(request.cursor(), from + chunk.length);
        var file = resultFile(run, attempt);
        var result = ended ? rooms.ledger().runs().result(run.id(), attempt.n()) : lastWord(attempt, file);
        return new Output(
                run,
                attempt,
                result,
                ended && result.isEmpty() && attempt.resultBytes() > 0 ? Optional.of(file) : Optional.empty(),
                new String(chunk, StandardCharsets.UTF_8),
                next,
                next < end && chunk.length > 0,
                request.until() == Output.Until.NOW ? Optional.empty() : Optional.of(waited),
                timedOut);
    }

    private Path resultFile(Run run, Attempt attempt) {
        return rooms.home().run(run.id()).attempt(attempt.n()).result();
    }

    /** Of an attempt that has said its last word and is about to go. */
    private static Optional<String> lastWord(Attempt attempt, Path file) {
        try {
            boolean said = attempt.phase().equals(Optional.of(Phase.FINISHING)) && PrivateFiles.exists(file);
            return said ? Optional.of(PrivateFiles.tail(file, MOST_BYTES)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private byte[] chunk(RunId run, long from, long to, boolean ended) {
        var bytes = ByteBuffer.allocate((int) Math.min(to - from, MOST_BYTES));
        try (var channel = PrivateFiles.open(rooms.home().run(run).output(), StandardOpenOption.READ)) {
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {
                // until full
            }
        } catch (NoSuchFileException e) {
            return new byte[0]; // removed by hand, with all of its run: the ledger still has the result
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        boolean all = ended && from + bytes.position() >= to;
        int whole = all ? bytes.position() : wholeCharacters(bytes);
        return java.util.Arrays.copyOf(bytes.array(), whole);
    }

    /** How many bytes make whole characters: half a character waits for its other half. */
    private static int wholeCharacters(ByteBuffer bytes) {
        int end = bytes.position();
        for (int back = 1; back <= 4 && back <= end; back++) {
            int b = bytes.get(end - back) & 0xff;
            if (b < 0x80) return end;
            if (b >= 0xc0) {
                int needs = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
                return needs > back ? end - back : end;
            }
        }
        return end;
    }
}
