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

/** Formats a pause report: the time of the pause and the state of each run that was live then. */
final class PauseReportText {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** The most important state comes first. */
    private static final List<AffectedRunState> ORDER = List.of(
            AffectedRunState.LOST,
            AffectedRunState.RESUMED,
            AffectedRunState.ENDED,
            AffectedRunState.WENT_ON,
            AffectedRunState.LIVE);

    private PauseReportText() {}

    static String of(PauseWindow pause, NoticeDigest.Reader reader, int max) {
        var text = new StringBuilder("While you were away %s, from %s to %s (%s). %s"
                .formatted(
                        pause.kind().inWords(),
                        TIME.format(pause.beganAt()),
                        pause.endedAt().map(TIME::format).orElse("now"),
                        TextFormat.span(pause.length()),
                        counts(pause)));
        for (var remark : pause.remarks()) {
            String line = "\n- %s failed".formatted(NoticeDigest.quoted(remark.text()));
            if (remark.failed() && text.length() + line.length() <= max) text.append(line);
        }
        int shown = 0;
        var runs = pause.runs().stream()
                .sorted((one, two) -> ORDER.indexOf(one.state()) - ORDER.indexOf(two.state()))
                .toList();
        for (var affected : runs) {
            String line = "\n- " + line(affected, reader);
            if (text.length() + line.length() > max) break;
            text.append(line);
            shown++;
        }
        if (shown < runs.size()) text.append("\n- …and %d more: `roost report`".formatted(runs.size() - shown));
        return text.toString();
    }

    private static String counts(PauseWindow pause) {
        int all = pause.runs().size();
        if (all == 0) return "No run was live.";
        var parts = ORDER.stream()
                .map(state -> {
                    long n = pause.runs().stream()
                            .filter(affected -> affected.state() == state)
                            .count();
                    return n == 0 ? "" : n + " " + word(state);
                })
                .filter(part -> !part.isEmpty())
                .toList();
        return "Of %d run%s that %s live then: %s."
                .formatted(all, all == 1 ? "" : "s", all == 1 ? "was" : "were", String.join(", ", parts));
    }

    private static String word(AffectedRunState state) {
        return switch (state) {
            case LOST -> "lost";
            case RESUMED -> "lost and resumed";
            case ENDED -> "ended";
            case WENT_ON -> "ended and continued since";
            case LIVE -> "still at work";
        };
    }

    private static String line(AffectedRun affected, NoticeDigest.Reader reader) {
        var run = affected.run();
        String state = switch (affected.state()) {
            case LOST -> "was lost (%s)".formatted(NoticeDigest.why(affected.attempt()));
            case RESUMED ->
                "was lost (%s) and continues in attempt %d: %s"
                        .formatted(
                                NoticeDigest.why(affected.attempt()),
                                run.latest().n(),
                                run.status().word());
            case ENDED -> run.status().word();
            case WENT_ON -> "ended, and was continued: " + run.status().word();
            case LIVE -> "still at work";
        };
        return NoticeDigest.title(run, reader) + " " + state + NoticeDigest.landing(run) + restoreHint(affected);
    }

    /** The command that restores the work of a lost run. */
    private static String restoreHint(AffectedRun affected) {
        if (affected.state() != AffectedRunState.LOST
                || affected.run().work().flatMap(WorktreeRecord::rescue).isEmpty()) return "";
        return "; get it back: roost restore " + affected.run().id();
    }
}
