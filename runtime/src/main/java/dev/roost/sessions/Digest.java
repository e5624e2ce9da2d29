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
        var text = new StringBuilder("%d background run%s ended since you last heard:\n"
                .formatted(pending.size(), pending.size() == 1 ? "" : "s"));
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

    /** Name, status, cause in words, duration, and the call that reads the result. */
    public static String line(Notice notice) {
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
        return attempt.took().map(time -> " after " + Words.span(time)).orElse("");
    }
}
