package dev.roost.daemon.sleep;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The configuration of logind: how long it waits for delay locks before sleep, if it reports that. */
record Logind(Optional<Duration> limit) {

    private static final Pattern NUMBER = Pattern.compile("\\buint64 (?<micros>[0-9]{1,18})\\b");

    /** A little less than the limit, so that the lock is released before logind stops waiting. */
    Optional<Duration> readyWithin() {
        return limit.map(most -> most.multipliedBy(9).dividedBy(10));
    }

    /** Empty if there was no answer: the asking programs write errors to standard error only. */
    static Optional<Logind> of(TetheredProcess asking) throws IOException {
        try (var lines = asking.lines()) {
            var answer = lines.lines().limit(100).collect(Collectors.joining("\n"));
            return answer.isBlank() ? Optional.empty() : Optional.of(new Logind(limit(answer)));
        }
    }

    private static Optional<Duration> limit(String answer) {
        var number = NUMBER.matcher(answer);
        if (!number.find()) return Optional.empty();
        return Optional.of(Duration.of(Long.parseLong(number.group("micros")), ChronoUnit.MICROS));
    }
}
