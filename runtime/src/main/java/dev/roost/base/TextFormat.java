package dev.roost.base;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations, sizes, names and signals for people. */
public final class TextFormat {

    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,6})([KMGT])B");
    private static final Pattern BARE = Pattern.compile("\\d+");
    private static final int NAME_LENGTH = 100;

    private TextFormat() {}

    /** {@code 30m}, {@code 90s}, {@code 2h}; {@code field} names the option in the error. */
    public static Duration duration(String field, String text) {
        Matcher span = SPAN.matcher(text.strip());
        if (span.matches()) {
            long n = Long.parseLong(span.group(1));
            return switch (span.group(2)) {
                case "ms" -> Duration.ofMillis(n);
                case "s" -> Duration.ofSeconds(n);
                case "m" -> Duration.ofMinutes(n);
                case "h" -> Duration.ofHours(n);
                default -> Duration.ofDays(n);
            };
        }
        String given = printable(text.strip());
        if (BARE.matcher(given).matches()) {
            throw ErrorCode.DURATION_WITHOUT_UNIT.error(
                    "%s=%s has no unit.".formatted(field, given),
                    "Write %ss for seconds or %sm for minutes.".formatted(given, given));
        }
        throw ErrorCode.BAD_DURATION.error("%s=%s is not a duration.".formatted(field, given));
    }

    /** {@code 500MB}, {@code 10GB}, in powers of 1024. */
    public static long size(String field, String text) {
        Matcher size = SIZE.matcher(text.strip());
        if (!size.matches()) {
            throw ErrorCode.BAD_SIZE.error("%s=%s is not a size.".formatted(field, printable(text.strip())));
        }
        return Long.parseLong(size.group(1)) << (10 * (1 + "KMGT".indexOf(size.group(2))));
    }

    /** A name people can type and terminals can show; returned as it is. */
    public static String name(String name) {
        boolean control = name.chars().anyMatch(Character::isISOControl);
        if (control || name.isBlank() || name.length() > NAME_LENGTH || name.startsWith("r_") || name.startsWith("-")) {
            throw ErrorCode.BAD_NAME.error(
                    "The name \"%s\" cannot be used.".formatted(printable(name)),
                    "Use 1 to %d characters, none of them control characters, not starting with r_ or a dash."
                            .formatted(NAME_LENGTH));
        }
        return name;
    }

    /** Short and safe to print: control characters escaped, long text cut. */
    public static String printable(String text) {
        var safe = new StringBuilder();
        text.codePoints().limit(120).forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                safe.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                safe.appendCodePoint(c);
            }
        });
        return text.codePointCount(0, text.length()) > 120 ? safe.append('…').toString() : safe.toString();
    }

    /** Why a file cannot be used: some exceptions contain only its path. Matched by name; this package does not import files. */
    public static String why(Exception e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        return switch (e.getClass().getSimpleName()) {
            case "AccessDeniedException" -> message + ": permission denied";
            case "NoSuchFileException" -> message + ": no such file or directory";
            case "FileAlreadyExistsException" -> message + " is a file";
            default -> message;
        };
    }

    /** {@code 850 ms}, {@code 42 s}, {@code 3 min 5 s}, {@code 7 h 12 min}. */
    public static String span(Duration d) {
        if (d.compareTo(Duration.ofSeconds(1)) < 0) return d.toMillis() + " ms";
        if (d.compareTo(Duration.ofMinutes(1)) < 0) return d.toSeconds() + " s";
        if (d.compareTo(Duration.ofHours(1)) < 0) return d.toMinutes() + " min " + d.toSecondsPart() + " s";
        if (d.compareTo(Duration.ofDays(2)) < 0) return d.toHours() + " h " + d.toMinutesPart() + " min";
        return d.toDays() + " d " + d.toHoursPart() + " h";
    }

    /** {@code 850}, {@code 12k}, {@code 1.3M}. */
    public static String count(long n) {
        if (n < 1000) return Long.toString(n);
        if (n < 999_500) return Math.round(n / 1e3) + "k";
        return String.format(Locale.ROOT, "%.1fM", n / 1e6);
    }

    /** {@code $0.34}; an amount below one cent has four digits, so it is not rounded to zero. */
    public static String dollars(long micros) {
        boolean tiny = micros > 0 && micros < 10_000;
        return String.format(Locale.ROOT, tiny ? "$%.4f" : "$%.2f", micros / 1e6);
    }

    public static String signal(int number) {
        return switch (number) {
            case 1 -> "HUP";
            case 2 -> "INT";
            case 3 -> "QUIT";
            case 4 -> "ILL";
            case 6 -> "ABRT";
            case 7 -> "BUS";
            case 8 -> "FPE";
            case 9 -> "KILL";
            case 11 -> "SEGV";
            case 13 -> "PIPE";
            case 14 -> "ALRM";
            case 15 -> "TERM";
            case 24 -> "XCPU";
            case 25 -> "XFSZ";
            default -> "SIG" + number;
        };
    }
}
