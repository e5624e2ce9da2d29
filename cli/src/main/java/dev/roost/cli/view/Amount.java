package dev.roost.cli.view;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers, costs and times in short words. */
public final class Amount {

    private Amount() {}

    /** {@code 1 run}, {@code 2 runs}. */
    public static String some(long n, String what) {
        return "%d %s%s".formatted(n, what, n == 1 ? "" : "s");
    }

    public static String count(long n) {
        if (n < 1000) return Long.toString(n);
        if (n < 999_500) return Math.round(n / 1e3) + "k";
        return String.format(Locale.ROOT, "%.1fM", n / 1e6);
    }

    public static String dollars(double amount) {
        return String.format(Locale.ROOT, amount > 0 && amount < 0.01 ? "$%.4f" : "$%.2f", amount);
    }

    public static String span(Duration d) {
        if (d.isNegative()) return "0s";
        if (d.toSeconds() < 10) return String.format(Locale.ROOT, "%.1fs", d.toMillis() / 1000.0);
        if (d.toMinutes() < 2) return d.toSeconds() + "s";
        if (d.toHours() < 2) return d.toMinutes() + "m" + d.toSecondsPart() + "s";
        if (d.toDays() < 2) return d.toHours() + "h" + d.toMinutesPart() + "m";
        return d.toDays() + "d";
    }

    /** The time since {@code at}. */
    public static String since(String at) {
        return span(Duration.between(Instant.parse(at), Instant.now()));
    }

    /** {@code 04:10}, with the date unless it is today. */
    public static String localTime(String at) {
        var time = local(at);
        boolean today = time.toLocalDate().equals(LocalDate.now(ZoneId.systemDefault()));
        return DateTimeFormatter.ofPattern(today ? "HH:mm" : "yyyy-MM-dd HH:mm", Locale.ROOT)
                .format(time);
    }

    public static ZonedDateTime local(String at) {
        return Instant.parse(at).atZone(ZoneId.systemDefault());
    }
}
