package dev.roost.sessions;

import dev.roost.ledger.Attempt;
import dev.roost.ledger.Notice;
import dev.roost.run.Cause;
import dev.roost.run.Exit;
import dev.roost.run.Words;
import java.util.List;

/** Pending notices as one message, newest ends first, never longer than a parent can bear. */
public final class Digest {

    private static final int MOST_CHARACTERS = 4000;

    private Digest() {}

    public static String of(List<Notice> pending) {
        if (pending.isEmpty()) return "";
        var text = new StringBuilder(head(pending));
        int told = 0;
        for (var notice : pending.reversed()) {
            String line = "- " + line(notice) + "\n";
            if (text.length() + line.length() > MOST_CHARACTERS - 60) break;
            text.append(line);
            told++;
        }
        if (told < pending.size()) text.append("…and %d more: `roost inbox`.\n".formatted(pending.size() - told));
        return text.toString();
    }

    private static String head(List<Notice> pending) {
        long asking = pending.stream().filter(Digest::asks).count();
        long ended = pending.size() - asking;
        if (asking == 0) return "%s ended since you last heard:\n".formatted(runs(ended));
        if (ended == 0) return "%s cannot go on without an answer:\n".formatted(runs(asking));
        return "%s ended since you last heard, and %d cannot go on without an answer:\n".formatted(runs(ended), asking);
    }

    private static String runs(long n) {
        return "%d background run%s".formatted(n, n == 1 ? "" : "s");
    }

    private static boolean asks(Notice notice) {
        return notice.kind().equals("needs_input");
    }

    /** Name, status, cause in words, duration, what it used, and the call that reads the result or answers the question. */
    public static String line(Notice notice) {
        return asks(notice) ? question(notice) : end(notice);
    }

    private static String question(Notice notice) {
        String title = Words.printable(notice.run().title());
        var asked = notice.attempt().asked().map(Attempt.Asked::question);
        if (asked.isEmpty()) return "%s asked something, which has been settled".formatted(title);
        // the agent's own words stay between quotation marks that they cannot close
        String text = Words.printable(asked.get().text()).replace('"', '\'');
        return switch (asked.get().kind()) {
            case PERMISSION ->
                "%s asks for permission: \"%s\". A person answers it: roost send %s allow (or: deny, and why)"
                        .formatted(title, text, notice.run().id());
            case INPUT ->
                "%s asks: \"%s\". Answer it: roost send %s ANSWER"
                        .formatted(title, text, notice.run().id());
        };
    }

    private static String end(Notice notice) {
        var attempt = notice.attempt();
        return "%s %s%s%s. Read it: roost output %s"
                .formatted(
                        Words.printable(notice.run().title()),
                        attempt.status().word(),
                        why(attempt),
                        took(attempt),
                        notice.run().id());
    }

    private static String why(Attempt attempt) {
        var cause = attempt.cause().orElse(Cause.FINISHED);
        if (cause == Cause.FINISHED) return "";
        var exit = attempt.evidence()
                .flatMap(evidence -> evidence.exit())
                .map(Exit::inWords)
                .map(words -> " (" + words + ")")
                .orElse("");
        return ": " + cause.inWords() + exit;
    }

    private static String took(Attempt attempt) {
        String used = attempt.usage().inWords();
        return attempt.took().map(time -> " after " + Words.span(time)).orElse("")
                + (used.isEmpty() ? "" : ", " + used);
    }
}
