package dev.roost.output;

import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Phase;
import dev.roost.model.RunId;
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

/** Reads the output of runs and waits for more. */
public final class OutputReader {

    private static final System.Logger LOG = System.getLogger(OutputReader.class.getName());

    private static final int MAX_BYTES = 1 << 18;
    private static final Duration FINAL_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration COMPLETE_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration REMOTE_POLL = Duration.ofSeconds(2);
    private static final Duration SHORT_POLL = Duration.ofMillis(100);

    private final RuntimeContext context;
    private final LiveOutput live;
    private final OutputRebuilder rebuilder;

    public OutputReader(RuntimeContext context, LiveOutput live) {
        this.context = context;
        this.live = live;
        this.rebuilder = new OutputRebuilder(context);
    }

    public OutputPage read(RunId id, OutputPage.Request request) {
        long began = context.clock().monotonicNanos();
        try (var changes = context.changes().of(id)) {
            while (true) {
                var run = context.ledger().runs().find(id).orElseThrow(() -> new NoSuchRun(id.text()));
                var attempt = attempt(run, request.attempt());
                boolean remote = !context.membership().owns(run);
                if (remote || attempt.status().ended()) fetchFiles(run); // another node may have written the last lines
                long waited = context.clock().monotonicNanos() - began;
                boolean late = waited >= request.timeout().toNanos();
                boolean enough = switch (request.until()) {
                    case NOW -> true;
                    case NEWS -> attempt.status().ended() || hasNews(run, attempt, request.cursor());
                    case END -> attempt.status().ended() && isComplete(run, attempt);
                };
                if (enough || late) return reply(run, attempt, request, Duration.ofNanos(waited), !enough);
                long left = request.timeout().toNanos() - waited;
                boolean soon = attempt.status().ended() || (remote && request.until() == OutputPage.WaitMode.NEWS);
                // polls a remote run, as change events of other nodes may get lost
                var most = soon ? SHORT_POLL : remote ? REMOTE_POLL : request.timeout();
                changes.await(Duration.ofNanos(Math.min(left, most.toNanos())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + id, e);
        }
    }

    /** Whether the inspection of the worktree and, on other nodes, a long result have arrived after the end; or the timeout. */
    private boolean isComplete(RunRecord run, AttemptRecord attempt) {
        boolean inspected = run.work()
                .filter(worktree -> worktree.inspectedAttempt() < attempt.n())
                .isEmpty();
        boolean result =
                attempt.resultBytes() <= AttemptResult.LEDGER_LIMIT || PrivateFiles.exists(resultFile(run, attempt));
        if (inspected && result) return true;
        var ended = attempt.endedAt().orElseThrow();
        return Duration.between(ended, context.clock().now()).abs().compareTo(COMPLETE_TIMEOUT) > 0;
    }

    public String tail(RunRecord run, int most) {
        if (!context.membership().owns(run) || run.status().ended()) fetchFiles(run);
        try {
            return PrivateFiles.tail(context.home().run(run.id()).output(), most);
        } catch (IOException e) {
            return ""; // the file was removed by hand
        }
    }

    /** Fetches the run's files from other nodes; if that fails, the reader gets what is here. */
    private void fetchFiles(RunRecord run) {
        try {
            context.output().fetch(run, () -> live.isOwned(run.id()));
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, run.id() + ": its files could not be fetched from another node", e);
        }
    }

    /** Waits until the run has ended. Returns early if it runs on another node that does not answer. */
    public RunRecord awaitEnd(RunId id) {
        while (true) {
            var output = read(id, new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, REMOTE_POLL));
            boolean silent =
                    !context.placement().waitReasons(List.of(output.run())).isEmpty();
            if (!output.timedOut() || silent) return output.run();
        }
    }

    /** Waits until output.md has its last lines, which normally follow the end at once; false after the timeout. */
    public boolean awaitFinalized(RunId id) {
        try (var changes = context.changes().of(id)) {
            long began = context.clock().monotonicNanos();
            while (context.ledger().runs().withUnfinishedOutput(id).isPresent()) {
                if (context.clock().monotonicNanos() - began > FINAL_TIMEOUT.toNanos()) return false;
                changes.await(Duration.ofSeconds(1));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + id, e);
        }
    }

    private AttemptRecord attempt(RunRecord run, Optional<Integer> wanted) {
        if (wanted.isEmpty() || wanted.get() == run.latest().n()) return run.latest();
        return context.ledger().runs().attempts(run.id()).stream()
                .filter(attempt -> attempt.n() == wanted.get())
                .findFirst()
                .orElseThrow(() -> ErrorCode.NO_SUCH_ATTEMPT.error(
                        "Run %s has no attempt %d.".formatted(run.id(), wanted.get()),
                        "Its attempts are 1 to %d.".formatted(run.latest().n())));
    }

    public long length(RunRecord run) {
        return length(run, run.latest());
    }

    private long length(RunRecord run, AttemptRecord attempt) {
        if (attempt.status().ended()) return attempt.position().outputBytes();
        return live.outputLength(run.id()).orElseGet(() -> known(run, attempt));
    }

    /** The length without a live loop: of a run on another node the length of the local copy, else the ledger's. */
    private long known(RunRecord run, AttemptRecord attempt) {
        try {
            if (!context.membership().owns(run))
                return PrivateFiles.size(context.home().run(run.id()).output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return attempt.position().outputBytes();
    }

    /** Whether there is at least one whole character after the cursor. */
    private boolean hasNews(RunRecord run, AttemptRecord attempt, long cursor) {
        long end = length(run, attempt);
        return end > cursor && chunk(run.id(), cursor, end, false).length > 0;
    }

    private OutputPage reply(
            RunRecord run, AttemptRecord attempt, OutputPage.Request request, Duration waited, boolean timedOut) {
        long end = length(run, attempt);
        boolean ended = attempt.status().ended();
        long from = Math.min(request.cursor(), end);
        if (run.status().ended()) rebuilder.restore(run);
        var chunk = chunk(run.id(), from, end, ended);
        // a restarted daemon may still be re-reading output that this reader has already got: the cursor never goes
        // back
        long next = ended ? from + chunk.length : Math.max(request.cursor(), from + chunk.length);
        var file = resultFile(run, attempt);
        var result = ended ? context.ledger().runs().result(run.id(), attempt.n()) : finalText(attempt, file);
        return new OutputPage(
                run,
                attempt,
                result,
                ended && result.isEmpty() && attempt.resultBytes() > 0 ? Optional.of(file) : Optional.empty(),
                new String(chunk, StandardCharsets.UTF_8),
                next,
                next < end && chunk.length > 0,
                request.until() == OutputPage.WaitMode.NOW ? Optional.empty() : Optional.of(waited),
                timedOut);
    }

    private Path resultFile(RunRecord run, AttemptRecord attempt) {
        return context.home().run(run.id()).attempt(attempt.n()).result();
    }

    /** The result of an attempt that is finishing: it has made its final report but not exited. */
    private static Optional<String> finalText(AttemptRecord attempt, Path file) {
        try {
            boolean finishing = attempt.phase().equals(Optional.of(Phase.FINISHING)) && PrivateFiles.exists(file);
            return finishing ? Optional.of(PrivateFiles.tail(file, MAX_BYTES)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private byte[] chunk(RunId run, long from, long to, boolean ended) {
        var bytes = ByteBuffer.allocate((int) Math.min(to - from, MAX_BYTES));
        try (var channel = PrivateFiles.open(context.home().run(run).output(), StandardOpenOption.READ)) {
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {
                // until full
            }
        } catch (NoSuchFileException e) {
            return new byte[0]; // the run's files were removed by hand: the ledger still has the result
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        boolean all = ended && from + bytes.position() >= to;
        int whole = all ? bytes.position() : wholeCharacters(bytes);
        return java.util.Arrays.copyOf(bytes.array(), whole);
    }

    /** How many bytes make whole UTF-8 characters; the rest of a split character follows with the next read. */
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
