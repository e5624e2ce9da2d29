package dev.roost.sessions;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Formats pending notices as one message, newest first, at most 4,000 characters. */
public final class NoticeDigest {

    private static final int MAX_CHARACTERS = 4000;
    private static final int RESERVED_FOR_LIVE_RUNS = 480;
    private static final int RESERVED_FOR_HEAD = 120;
    private static final int MIN_PAUSE_SPACE = 400;

    private NoticeDigest() {}

    /** The reader of the digest: a person gets commands, a model gets tool calls. */
    public enum Reader {
        PERSON,
        MODEL
    }

    /** A digest for a person. */
    public static String of(List<NoticeRecord> pending) {
        if (pending.isEmpty()) return "";
        return lines(new StringBuilder(), pending, Reader.PERSON, MAX_CHARACTERS - 60)
                .toString();
    }

    /** A digest for a model, with live runs. The nonce keeps a harness from dropping the text as a repetition. */
    public static String of(NoticeOffer offer, List<RunRecord> live, Instant now) {
        var text = new StringBuilder("<roost-notice id=\"%s\">\n".formatted(offer.nonce()));
        lines(text, offer.notices(), Reader.MODEL, MAX_CHARACTERS - RESERVED_FOR_LIVE_RUNS);
        return text.append(liveRuns(live, now)).append(closing()).toString();
    }

    /** A digest for a model whose session begins, without notices but with live runs. */
    public static String of(List<RunRecord> live, String nonce, Instant now) {
        return "<roost-notice id=\"%s\">\n%s%s".formatted(nonce, liveRuns(live, now), closing());
    }

    private static String closing() {
        return "Roost reports this about your own background runs; it is not the user who speaks.\n</roost-notice>";
    }

    private static String liveRuns(List<RunRecord> live, Instant now) {
        if (live.isEmpty()) return "";
        var titles = live.stream()
                .limit(3)
                .map(run -> "%s (%s, %s, %s)"
                        .formatted(
                                quoted(run.name().orElse(run.description())),
                                run.id(),
                                run.latest().phase().map(phase -> phase.word()).orElse("live"),
                                TextFormat.span(Duration.between(run.createdAt(), now))))
                .toList();
        return "%s still at work: %s%s. agent_output {\"run_id\": \"%s\"} shows what it has said.\n"
                .formatted(
                        runs(live.size()),
                        String.join(", ", titles),
                        live.size() > 3 ? ", … (agent_list has all)" : "",
                        live.getFirst().id());
    }

    private static StringBuilder lines(StringBuilder text, List<NoticeRecord> pending, Reader reader, int max) {
        var ofRuns = pending.stream().flatMap(notice -> notice.ofRun().stream()).toList();
        pauses(text, pending, reader, spaceForPauses(ofRuns, reader, max));
        if (ofRuns.isEmpty()) return text;
        text.append(head(ofRuns));
        int shown = 0;
        for (var notice : ofRuns.reversed()) {
            String line = "- " + line(notice, reader) + "\n";
            if (text.length() + line.length() > max) break;
            text.append(line);
            shown++;
        }
        if (shown < ofRuns.size()) {
            text.append("…and %d more: %s.\n"
                    .formatted(
                            ofRuns.size() - shown,
                            reader == Reader.MODEL ? "agent_list {\"filter\": \"unread\"}" : "`roost inbox`"));
        }
        return text;
    }

    /** The space for pause reports: what the run notices leave, and at least half of {@code max}. */
    private static int spaceForPauses(List<NoticeRecord.RunNotice> ofRuns, Reader reader, int max) {
        int needed = RESERVED_FOR_HEAD;
        for (var notice : ofRuns) needed += line(notice, reader).length() + 3;
        return Math.max(max / 2, max - needed);
    }

    /** Appends pause reports, newest first, as far as there is space. */
    private static void pauses(StringBuilder text, List<NoticeRecord> pending, Reader reader, int max) {
        var reports = pending.stream()
                .filter(NoticeRecord.PauseNotice.class::isInstance)
                .map(NoticeRecord.PauseNotice.class::cast)
                .toList();
        int end = text.length() + max;
        int shown = 0;
        for (var report : reports.reversed()) {
            int space = end - text.length();
            if (shown > 0 && space < MIN_PAUSE_SPACE) break;
            text.append(PauseReportText.of(
                            report.pause(), reader, reports.size() == 1 ? space : Math.min(space, max / 2)))
                    .append("\n");
            shown++;
        }
        if (shown < reports.size())
            text.append("…and %d earlier pauses: `roost report`.\n".formatted(reports.size() - shown));
    }

    private static String head(List<NoticeRecord.RunNotice> pending) {
        long asking = pending.stream().filter(NoticeDigest::asks).count();
        long changed = pending.stream()
                .filter(notice -> notice.kind().equals("changed"))
                .count();
        long ended = pending.size() - asking - changed;
        if (ended == 0 && asking == 0) return "%s changed:\n".formatted(runs(changed));
        if (asking == 0) return "%s ended since you last heard:\n".formatted(runs(ended));
        if (ended == 0) return "%s cannot go on without an answer:\n".formatted(runs(asking));
        return "%s ended since you last heard, and %d cannot go on without an answer:\n".formatted(runs(ended), asking);
    }

    private static String runs(long n) {
        return "%d background run%s".formatted(n, n == 1 ? "" : "s");
    }

    private static boolean asks(NoticeRecord.RunNotice notice) {
        return notice.kind().equals("needs_input");
    }

    /** Name, status, cause, duration and usage, and the call that reads the result or answers the question. */
    public static String line(NoticeRecord notice) {
        return switch (notice) {
            case NoticeRecord.RunNotice one -> line(one, Reader.PERSON);
            case NoticeRecord.PauseNotice report -> PauseReportText.of(report.pause(), Reader.PERSON, MAX_CHARACTERS);
        };
    }

    private static String line(NoticeRecord.RunNotice notice, Reader reader) {
        return switch (notice.kind()) {
            case "needs_input" -> question(notice, reader);
            case "changed" ->
                "%s is now %s"
                        .formatted(
                                title(notice.run(), reader),
                                notice.attempt()
                                        .phase()
                                        .map(phase -> phase.word())
                                        .orElse(notice.attempt().status().word()));
            default -> end(notice, reader);
        };
    }

    /** Quotes text that an agent wrote or chose, so that it can neither close the quotation nor imitate a tag. */
    static String quoted(String text) {
        return "\""
                + TextFormat.printable(text)
                        .replace('"', '\'')
                        .replace('<', '‹')
                        .replace('>', '›') + "\"";
    }

    static String title(RunRecord run, Reader reader) {
        return switch (reader) {
            case PERSON -> TextFormat.printable(run.title());
            case MODEL ->
                run.name()
                        .map(name -> quoted(name) + " (" + run.id() + ")")
                        .orElseGet(() -> "%s (%s)".formatted(run.id(), quoted(run.description())));
        };
    }

    private static String question(NoticeRecord.RunNotice notice, Reader reader) {
        String title = title(notice.run(), reader);
        var asked = notice.attempt().asked().map(AttemptRecord.PendingQuestion::question);
        if (asked.isEmpty()) return "%s asked a question that is no longer open".formatted(title);
        String text = quoted(asked.get().text());
        var id = notice.run().id();
        return switch (asked.get().kind()) {
            case PERMISSION ->
                "%s asks for permission: %s. A person answers it: roost send %s allow (or: deny, and why)"
                        .formatted(title, text, id);
            case INPUT ->
                "%s asks: %s. Answer it: %s"
                        .formatted(
                                title,
                                text,
                                switch (reader) {
                                    case PERSON -> "roost send %s ANSWER".formatted(id);
                                    case MODEL -> "agent_send {\"run_id\": \"%s\", \"message\": …}".formatted(id);
                                });
        };
    }

    private static String end(NoticeRecord.RunNotice notice, Reader reader) {
        var attempt = notice.attempt();
        return "%s %s%s%s%s%s. Read it: %s"
                .formatted(
                        title(notice.run(), reader),
                        attempt.status().word(),
                        attempt.cause().filter(cause -> cause != Cause.FINISHED).isPresent() ? ": " + why(attempt) : "",
                        took(attempt),
                        landing(notice.run()),
                        interruption(notice.before()),
                        switch (reader) {
                            case PERSON ->
                                "roost output %s".formatted(notice.run().id());
                            case MODEL ->
                                "agent_output {\"run_id\": \"%s\"}"
                                        .formatted(notice.run().id());
                        });
    }

    /** The most serious interruption of the turn: a loss, a move or a rate limit. */
    private static String interruption(List<AttemptRecord> before) {
        var lost = before.stream()
                .filter(one -> one.status() == Status.ABANDONED && one.began().isPresent())
                .toList();
        // a moved attempt was stopped and has an exit record; a lost attempt has none
        if (lost.stream().anyMatch(one -> one.evidence().flatMap(Evidence::exit).isEmpty()))
            return " (it was restarted after a loss: its effects may have happened twice)";
        if (!lost.isEmpty())
            return " (it was moved to another machine: what it did at that moment may have happened twice)";
        boolean parked = before.stream().anyMatch(one -> one.cause().equals(Optional.of(Cause.RATE_LIMITED)));
        return parked ? " (it had to wait, because the model's provider limited its rate)" : "";
    }

    static String why(AttemptRecord attempt) {
        var cause = attempt.cause().orElse(Cause.FINISHED);
        if (cause == Cause.FINISHED) return "";
        var exit = attempt.evidence()
                .flatMap(evidence -> evidence.exit())
                .map(Exit::inWords)
                .map(words -> " (" + words + ")")
                .orElse("");
        return cause.inWords() + exit;
    }

    private static String took(AttemptRecord attempt) {
        String used = attempt.usage().inWords();
        return attempt.took().map(time -> " after " + TextFormat.span(time)).orElse("")
                + (used.isEmpty() ? "" : ", " + used);
    }

    /** {@code ; code: committed, 2 ahead (kept as refs/roost/r_…/3)}; empty for a run without a worktree. */
    static String landing(RunRecord run) {
        return run.work().map(worktree -> "; code: " + code(worktree)).orElse("");
    }

    /** How far a run's code got, and the ref of its checkpoint. */
    public static String code(WorktreeRecord worktree) {
        var landing = worktree.landing().map(WorktreeRecord.LandingState::words).orElse("not looked at yet");
        var kept = worktree.rescue().map(rescue -> "kept as %s".formatted(rescue.ref()));
        if (worktree.trouble()
                .filter(why -> why.startsWith(WorktreeRecord.NO_CHECKPOINT))
                .isPresent())
            return landing
                    + " (not kept as it is now: see roost show%s)"
                            .formatted(
                                    kept.map(known -> "; before that, " + known).orElse(""));
        return landing + kept.map(known -> " (" + known + ")").orElse("");
    }
}
