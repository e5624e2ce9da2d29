package dev.roost.daemon.web;

import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.NoticeHistory;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.EventKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A run's timeline as a picture: one line for each attempt, shaded pauses, and marks for notices to its owner. */
final class RunTimeline {

    private static final int WIDTH = 1000;
    private static final int LEFT = 4;
    private static final int LANE = 22;
    private static final int BAR = 14;
    private static final int MOST_LANES = 12;

    private final Instant from;
    private final Instant to;
    private final Instant now;

    /** {@code to}: the time of the last event. */
    RunTimeline(Instant from, Instant to, Instant now) {
        this.from = from;
        this.to = to.isAfter(from.plusSeconds(1)) ? to : from.plusSeconds(1);
        this.now = now;
    }

    Html html(
            List<AttemptRecord> all,
            List<PauseWindow> pauses,
            List<NoticeHistory> notices,
            List<TimelineEvent> events) {
        var attempts = all.size() > MOST_LANES ? all.subList(all.size() - MOST_LANES, all.size()) : all;
        int height = (attempts.size() + 1) * LANE;
        var parts = new ArrayList<Html>();
        for (var pause : pauses) parts.add(shade(pause, height));
        for (int i = 0; i < attempts.size(); i++) parts.add(attempt(attempts.get(i), i * LANE + 4));
        int line = attempts.size() * LANE + LANE / 2;
        parts.add(Html.of("<line class=\"rule\" x1=\"0\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", line, WIDTH, line));
        for (var notice : notices) {
            parts.add(point("written", notice.createdAt(), line, "notice written"));
            notice.ackedAt().ifPresent(at -> parts.add(point("acked", at, line, "acknowledged")));
        }
        for (var event : events)
            if (EventKind.OFFERED.is(event.kind()))
                parts.add(point("offered", event.at(), line, "offered: " + event.text()));
        return Html.of(
                """
                <svg class="timeline" viewBox="0 0 {} {}" height="{}" preserveAspectRatio="none" role="img" \
                aria-label="timeline from {} to {}: {} attempt{}, {} notice{}">{}</svg>\
                <p class="axis"><span>{}</span><span>{}</span></p>\
                <p class="legend-line"><span class="k queued">waiting</span> <span class="k running">at work</span> \
                <span class="k ok">completed</span> <span class="k dead">died</span> <span class="k pause">pause</span> \
                <span class="k written">notice</span> <span class="k offered">offered</span> <span class="k acked">acknowledged</span></p>
                """,
                WIDTH,
                height,
                height,
                RelativeTime.clockText(from, now),
                RelativeTime.clockText(to, now),
                all.size(),
                all.size() == 1 ? "" : "s",
                notices.size(),
                notices.size() == 1 ? "" : "s",
                Html.all(parts),
                RelativeTime.clockText(from, now),
                RelativeTime.clockText(to, now));
    }

    private double x(Instant at) {
        double whole = Duration.between(from, to).toMillis();
        double part = Duration.between(from, at).toMillis();
        return LEFT + (WIDTH - 2.0 * LEFT) * Math.clamp(part / whole, 0, 1);
    }

    private Html box(String tone, Instant begin, Instant end, int y, int height, String title) {
        double left = x(begin);
        return Html.of(
                "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"><title>{}</title></rect>",
                tone,
                String.format(Locale.ROOT, "%.1f", left),
                y,
                String.format(Locale.ROOT, "%.1f", Math.max(2, x(end) - left)),
                height,
                title);
    }

    private Html attempt(AttemptRecord attempt, int y) {
        var end = attempt.endedAt().orElse(now);
        var began = attempt.startedAt().orElse(end);
        var waited = box("t-queued", attempt.createdAt(), began, y, BAR, "attempt %d waited".formatted(attempt.n()));
        if (attempt.startedAt().isEmpty()) return waited;
        var worked = box(
                "t-" + RunRow.tone(attempt),
                began,
                end,
                y,
                BAR,
                "attempt %d %s, %s"
                        .formatted(
                                attempt.n(),
                                attempt.status().word(),
                                RelativeTime.brief(Duration.between(began, end))));
        return Html.of("{}{}", waited, worked);
    }

    private Html shade(PauseWindow pause, int height) {
        var end = pause.endedAt().orElse(now);
        if (!end.isAfter(from) || pause.beganAt().isAfter(to)) return Html.NONE;
        return box("t-pause", pause.beganAt(), end, 0, height, pause.kind().inWords());
    }

    private Html point(String kind, Instant at, int y, String title) {
        var x = String.format(Locale.ROOT, "%.1f", x(at));
        return Html.of(
                "<line class=\"point {}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"><title>{} {}</title></line>",
                kind,
                x,
                y - 8,
                x,
                y + 8,
                title,
                RelativeTime.clockText(at, now));
    }
}
