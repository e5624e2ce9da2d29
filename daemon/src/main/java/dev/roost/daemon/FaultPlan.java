package dev.roost.daemon;

import dev.roost.base.BadInput;
import dev.roost.base.FaultPoints.Step;
import dev.roost.base.TextFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * The parsed lines of a fault file. Step counts begin when the file is read.
 *
 * @param pause the delay before each durable step
 * @param shift the offset of the wall clock
 * @param invalid the lines that are not understood
 */
record FaultPlan(List<Kill> kills, Duration pause, Duration shift, List<String> invalid) {

    private static final Pattern KILL = Pattern.compile("kill (before|after) ([a-z]+)(?: ([1-9]\\d{0,8}))?");
    private static final Pattern SLOW = Pattern.compile("slow (\\w+)");
    private static final Pattern CLOCK = Pattern.compile("clock ([+-])(\\w+)");

    /** {@code when}: {@code before} or {@code after} the step. */
    record Kill(String when, Step step, AtomicInteger left) {}

    static FaultPlan read(List<String> lines) {
        var kills = new ArrayList<Kill>();
        var invalid = new ArrayList<String>();
        var pause = Duration.ZERO;
        var shift = Duration.ZERO;
        for (var raw : lines) {
            var line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) continue;
            var kill = KILL.matcher(line);
            var slow = SLOW.matcher(line);
            var clock = CLOCK.matcher(line);
            try {
                if (kill.matches()) {
                    var step = Step.valueOf(kill.group(2).toUpperCase(Locale.ROOT));
                    int nth = kill.group(3) == null ? 1 : Integer.parseInt(kill.group(3));
                    kills.add(new Kill(kill.group(1), step, new AtomicInteger(nth)));
                } else if (slow.matches()) {
                    pause = TextFormat.duration("slow", slow.group(1));
                } else if (clock.matches()) {
                    var offset = TextFormat.duration("clock", clock.group(2));
                    shift = clock.group(1).equals("-") ? offset.negated() : offset;
                } else {
                    invalid.add(TextFormat.printable(line));
                }
            } catch (BadInput | IllegalArgumentException e) { // no such duration, no such step
                invalid.add(TextFormat.printable(line));
            }
        }
        return new FaultPlan(kills, pause, shift, invalid);
    }

    /** The step at which the process is to die, if it is one of these. */
    Optional<Step> fatal(String when, List<Step> steps) {
        Optional<Step> fatal = Optional.empty();
        for (var kill : kills)
            for (var step : steps)
                if (kill.when.equals(when) && kill.step == step && kill.left.decrementAndGet() == 0)
                    fatal = Optional.of(step);
        return fatal;
    }
}
