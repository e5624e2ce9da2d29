package dev.roost.daemon.web;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats times for people. The browser updates them from the value written here. */
final class RelativeTime {

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ROOT);

    private RelativeTime() {}

    /** {@code 42s}, {@code 12m}, {@code 3h 5m}, {@code 2d}. */
    static String brief(Duration d) {
        if (d.toMillis() < 1000) return "<1s";
        if (d.toSeconds() < 60) return d.toSeconds() + "s";
        if (d.toMinutes() < 60) return d.toMinutes() + "m";
        if (d.toHours() < 24) return "%dh %dm".formatted(d.toHours(), d.toMinutesPart());
        return d.toDays() + "d";
    }

    /** The time since {@code at}; the browser updates it. */
    static Html since(Instant at, Instant now) {
        return Html.of("<time class=\"tick\" datetime=\"{}\">{}</time>", at, brief(Duration.between(at, now)));
    }

    /** The time of day, with the day's name if it is not today. */
    static Html clock(Instant at, Instant now) {
        return Html.of("<time datetime=\"{}\">{}</time>", at, clockText(at, now));
    }

    static String clockText(Instant at, Instant now) {
        var zone = ZoneId.systemDefault();
        var when = at.atZone(zone);
        boolean today = when.toLocalDate().equals(now.atZone(zone).toLocalDate());
        return (today ? CLOCK : DAY).format(when);
    }
}
