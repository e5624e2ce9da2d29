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

/** Pending notices as one message, newest first, never longer than a parent can bear. */
public final class NoticeDigest {

    private static final int MOST_CHARACTERS = 4000;
    private static final int ROOM_FOR_THE_REST = 480;
    private static final int ROOM_FOR_A_HEAD = 120;
    private static final int ROOM_FOR_A_PAUSE = 400;

    private NoticeDigest() {}

    /** Who is told: a person reads commands, a model calls tools. */
    public enum Reader {
        PERSON,
        MODEL
    }

    /** For a person. */
    public static String of(List<NoticeRecord> pending) {
        if (pending.isEmpty()) return "";
        return lines(new StringBuilder(), pending, Reader.PERSON, MOST_CHARACTERS - 60)
                .toString();
    }

    /** For a model: what is pending, and what still runs. Its nonce keeps a harness from dropping it as said before. */
    public static String of(NoticeOffer offer, List<RunRecord> live, Instant now) {
        var text = new StringBuilder("<roost-notice id=\"%s\">\n".formatted(offer.nonce()));
        lines(text, offer.notices(), Reader.MODEL, MOST_CHARACTERS - ROOM_FOR_THE_REST);
        return text.append(still(live, now)).append(closing()).toString();
    }

    /** For a model whose session begins: nothing new, but some of its runs still go on. */
    public static String of(List<RunRecord> live, String nonce, Instant now) {
        return "<roost-notice id=\"%s\">\n%s%s".formatted(nonce, still(live, now), closing());
    }

    /** How far a run's code got, and where it is kept. */
    public static String code(WorktreeRecord worktree) {
        return LandingText.words(worktree);
    }

    private static String closing() {
        return "Roost reports this about your own background runs; it is not the user who speaks.\n</roost-notice>";
    }

    private static String still(List<RunRecord> live, Instant now) {
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

    private static StringBuilder lines(StringBuilder text, List<NoticeRecord> pending, Reader reader, int most) {
        var ofRuns = pending.stream().flatMap(notice -> notice.ofRun().stream()).toList();
        pauses(text, pending, reader, left(ofRuns, reader, most));
        if (ofRuns.isEmpty()) return text;
        text.append(head(ofRuns));
        int told = 0;
        for (var notice : ofRuns.reversed()) {
            String line = "- " + line(notice, reader) + "\n";
            if (text.length() + line.length() > most) break;
            text.append(line);
            told++;
        }
        if (told < ofRuns.size()) {
            text.append("…and %d more: %s.\n"
                    .formatted(
                            ofRuns.size() - told,
                            reader == Reader.MODEL ? "agent_list {\"filter\": \"unread\"}" : "`roost inbox`"));
        }
        return text;
    }

    /** What the runs do not need is the pauses', and half of it in any case. */
    private static int left(List<NoticeRecord.RunNotice> ofRuns, Reader reader, int most) {
        int needed = ROOM_FOR_A_HEAD;
        for (var notice : ofRuns) needed += line(notice, reader).length() + 3;
        return Math.max(most / 2, most - needed);
    }

    /** The newest first, as far as there is room. */
    private static void pauses(StringBuilder text, List<NoticeRecord> pending, Reader reader, int most) {
        var reports = pending.stream()
                .filter(NoticeRecord.PauseNotice.class::isInstance)
                .map(NoticeRecord.PauseNotice.class::cast)
                .toList();
        int end = text.length() + most;
        int told = 0;
        for (var report : reports.reversed()) {
            int room = end - text.length();
            if (told > 0 && room < ROOM_FOR_A_PAUSE) break;
            text.append(PauseReportText.of(
                            report.pause(), reader, reports.size() == 1 ? room : Math.min(room, most / 2)))
                    .append("\n");
            told++;
        }
        if (told < reports.size())
            text.append("…and %d earlier pauses: `roost report`.\n".formatted(reports.size() - told));
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

    /** Name, status, cause in words, duration, what it used, and the call that reads the result or answers the question. */
    public static String line(NoticeRecord notice) {
        return switch (notice) {
            case NoticeRecord.RunNotice one -> line(one, Reader.PERSON);
            case NoticeRecord.PauseNotice report -> PauseReportText.of(report.pause(), Reader.PERSON, MOST_CHARACTERS);
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

    /** An agent's words, and names that an agent chose, can neither close a quotation nor pass for a tag. */
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
        if (asked.isEmpty()) return "%s asked something, which has been settled".formatted(title);
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
                        LandingText.of(notice.run()),
                        again(notice.before()),
                        switch (reader) {
                            case PERSON ->
                                "roost output %s".formatted(notice.run().id());
                            case MODEL ->
                                "agent_output {\"run_id\": \"%s\"}"
                                        .formatted(notice.run().id());
                        });
    }

    /** What kept it from coming to its end at once, the worst of it. */
    private static String again(List<AttemptRecord> before) {
        var lost = before.stream()
                .filter(one -> one.status() == Status.ABANDONED && one.began().isPresent())
                .toList();
        // one that was stopped to go on elsewhere has an exit record, one that was lost has none
        if (lost.stream().anyMatch(one -> one.evidence().flatMap(Evidence::exit).isEmpty()))
            return " (it was begun again after a loss: its effects may be there twice)";
        if (!lost.isEmpty())
            return " (it was moved to another machine meanwhile: what it was at just then may be there twice)";
        boolean parked = before.stream().anyMatch(one -> one.cause().equals(Optional.of(Cause.RATE_LIMITED)));
        return parked ? " (it waited meanwhile, because the model's provider limited its rate)" : "";
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
}
