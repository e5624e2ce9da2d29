package dev.roost.sessions;

import dev.roost.ledger.Pause;
import dev.roost.ledger.Pause.Caught;
import dev.roost.ledger.Pause.Fate;
import dev.roost.ledger.Work;
import dev.roost.run.Words;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** A pause report: when nobody looked after the runs, and what became of each that was live then. */
final class PauseWords {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** What is at stake comes first. */
    private static final List<Fate> ORDER = List.of(Fate.LOST, Fate.RESUMED, Fate.ENDED, Fate.WENT_ON, Fate.LIVE);

    private PauseWords() {}

    static String of(Pause pause, Digest.Reader reader, int most) {
        var text = new StringBuilder("While you were away %s, from %s to %s (%s). %s"
                .formatted(
                        pause.kind().inWords(),
                        TIME.format(pause.beganAt()),
                        pause.endedAt().map(TIME::format).orElse("now"),
                        Words.span(pause.length()),
                        counts(pause)));
        for (var remark : pause.remarks()) {
            String line = "\n- %s failed".formatted(Digest.quoted(remark.text()));
            if (remark.failed() && text.length() + line.length() <= most) text.append(line);
        }
        int told = 0;
        var runs = pause.runs().stream()
                .sorted((one, two) -> ORDER.indexOf(one.fate()) - ORDER.indexOf(two.fate()))
                .toList();
        for (var caught : runs) {
            String line = "\n- " + line(caught, reader);
            if (text.length() + line.length() > most) break;
            text.append(line);
            told++;
        }
        if (told < runs.size()) text.append("\n- …and %d more: `roost report`".formatted(runs.size() - told));
        return text.toString();
    }

    private static String counts(Pause pause) {
        int all = pause.runs().size();
        if (all == 0) return "No run was live.";
        var parts = ORDER.stream()
                .map(fate -> {
                    long n = pause.runs().stream()
                            .filter(caught -> caught.fate() == fate)
                            .count();
                    return n == 0 ? "" : n + " " + word(fate);
                })
                .filter(part -> !part.isEmpty())
                .toList();
        return "Of %d run%s that %s live then: %s."
                .formatted(all, all == 1 ? "" : "s", all == 1 ? "was" : "were", String.join(", ", parts));
    }

    private static String word(Fate fate) {
        return switch (fate) {
            case LOST -> "lost";
            case RESUMED -> "lost and resumed";
            case ENDED -> "ended";
            case WENT_ON -> "ended and continued since";
            case LIVE -> "still at work";
        };
    }

    private static String line(Caught caught, Digest.Reader reader) {
        var run = caught.run();
        String state = switch (caught.fate()) {
            case LOST -> "was lost (%s)".formatted(Digest.why(caught.attempt()));
            case RESUMED ->
                "was lost (%s) and goes on in attempt %d: %s"
                        .formatted(
                                Digest.why(caught.attempt()),
                                run.latest().n(),
                                run.status().word());
            case ENDED -> run.status().word();
            case WENT_ON -> "ended, and was continued: " + run.status().word();
            case LIVE -> "still at work";
        };
        return Digest.title(run, reader) + " " + state + WorkWords.of(run) + back(caught);
    }

    /** How to get the work of a lost run. */
    private static String back(Caught caught) {
        if (caught.fate() != Fate.LOST
                || caught.run().work().flatMap(Work::rescue).isEmpty()) return "";
        return "; get it back: roost restore " + caught.run().id();
    }
}
