package dev.roost.sessions;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.PauseWindow.AffectedRun;
import dev.roost.ledger.record.PauseWindow.AffectedRunState;
import dev.roost.ledger.record.WorktreeRecord;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** A pause report: when nobody looked after the runs, and what became of each that was live then. */
final class PauseReportText {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** What is at stake comes first. */
    private static final List<AffectedRunState> ORDER = List.of(
            AffectedRunState.LOST,
            AffectedRunState.RESUMED,
            AffectedRunState.ENDED,
            AffectedRunState.WENT_ON,
            AffectedRunState.LIVE);

    private PauseReportText() {}

    static String of(PauseWindow pause, NoticeDigest.Reader reader, int most) {
        var text = new StringBuilder("While you were away %s, from %s to %s (%s). %s"
                .formatted(
                        pause.kind().inWords(),
                        TIME.format(pause.beganAt()),
                        pause.endedAt().map(TIME::format).orElse("now"),
                        TextFormat.span(pause.length()),
                        counts(pause)));
        for (var remark : pause.remarks()) {
            String line = "\n- %s failed".formatted(NoticeDigest.quoted(remark.text()));
            if (remark.failed() && text.length() + line.length() <= most) text.append(line);
        }
        int told = 0;
        var runs = pause.runs().stream()
                .sorted((one, two) -> ORDER.indexOf(one.state()) - ORDER.indexOf(two.state()))
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

    private static String counts(PauseWindow pause) {
        int all = pause.runs().size();
        if (all == 0) return "No run was live.";
        var parts = ORDER.stream()
                .map(fate -> {
                    long n = pause.runs().stream()
                            .filter(caught -> caught.state() == fate)
                            .count();
                    return n == 0 ? "" : n + " " + word(fate);
                })
                .filter(part -> !part.isEmpty())
                .toList();
        return "Of %d run%s that %s live then: %s."
                .formatted(all, all == 1 ? "" : "s", all == 1 ? "was" : "were", String.join(", ", parts));
    }

    private static String word(AffectedRunState fate) {
        return switch (fate) {
            case LOST -> "lost";
            case RESUMED -> "lost and resumed";
            case ENDED -> "ended";
            case WENT_ON -> "ended and continued since";
            case LIVE -> "still at work";
        };
    }

    private static String line(AffectedRun caught, NoticeDigest.Reader reader) {
        var run = caught.run();
        String state = switch (caught.state()) {
            case LOST -> "was lost (%s)".formatted(NoticeDigest.why(caught.attempt()));
            case RESUMED ->
                "was lost (%s) and goes on in attempt %d: %s"
                        .formatted(
                                NoticeDigest.why(caught.attempt()),
                                run.latest().n(),
                                run.status().word());
            case ENDED -> run.status().word();
            case WENT_ON -> "ended, and was continued: " + run.status().word();
            case LIVE -> "still at work";
        };
        return NoticeDigest.title(run, reader) + " " + state + LandingText.of(run) + back(caught);
    }

    /** How to get the work of a lost run. */
    private static String back(AffectedRun caught) {
        if (caught.state() != AffectedRunState.LOST
                || caught.run().work().flatMap(WorktreeRecord::rescue).isEmpty()) return "";
        return "; get it back: roost restore " + caught.run().id();
    }
}
