package dev.roost.agents.driver;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** Parses the end of a usage limit. Codex prints it in words and local time, and names the day unless it is today. */
final class CodexLimitReset {

    private static final Pattern WORDS = Pattern.compile(
            "try again at (?:(\\w{3} \\d{1,2})\\w\\w, (\\d{4}) )?(\\d{1,2}:\\d\\d [AP]M)", Pattern.CASE_INSENSITIVE);
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("MMM d yyyy", Locale.US);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("h:mm a", Locale.US);
    private static final Pattern VERSION_7 =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");

    private CodexLimitReset() {}

    /** Today's date is that in the id of {@code newThread}, as Codex's lines have no date; "" for a resumed thread. */
    static Optional<Instant> in(String words, String newThread) {
        var matcher = WORDS.matcher(words);
        if (!matcher.find()) return Optional.empty();
        var zone = ZoneId.systemDefault();
        try {
            var time = LocalTime.parse(matcher.group(3).toUpperCase(Locale.ROOT), TIME);
            var day = matcher.group(1) == null
                    ? began(newThread).map(at -> LocalDate.ofInstant(at, zone))
                    : Optional.of(LocalDate.parse(matcher.group(1) + " " + matcher.group(2), DATE));
            return day.map(date -> date.atTime(time).atZone(zone).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> began(String thread) {
        if (!VERSION_7.matcher(thread).matches()) return Optional.empty();
        return Optional.of(Instant.ofEpochMilli(UUID.fromString(thread).getMostSignificantBits() >>> 16));
    }
}
