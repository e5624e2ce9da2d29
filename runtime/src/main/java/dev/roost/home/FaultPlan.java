package dev.roost.home;

import dev.roost.base.BadInput;
import dev.roost.base.FaultPoints.Step;
import dev.roost.base.TextFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The parsed lines of a fault file. Step counts begin when the file is read. */
final class FaultPlan {

    static final FaultPlan NONE = new FaultPlan(List.of(), Optional.empty(), Duration.ZERO);

    private static final Pattern KILL = Pattern.compile("kill (before|after) ([a-z]+)(?: ([1-9]\\d{0,8}))?");
    private static final Pattern SLOW = Pattern.compile("slow (\\w+)");
    private static final Pattern CLOCK = Pattern.compile("clock ([+-])(\\w+)");

    enum KillPoint {
        BEFORE,
        AFTER
    }

    private static final class Kill {
        private final KillPoint when;
        private final Step step;
        private int left;

        Kill(KillPoint when, Step step, int left) {
            this.when = when;
            this.step = step;
            this.left = left;
        }
    }

    record ParsedFaultPlan(FaultPlan plan, List<String> invalid) {}

    private final List<Kill> kills;
    private final Optional<Duration> pause;
    private final Duration shift;

    private FaultPlan(List<Kill> kills, Optional<Duration> pause, Duration shift) {
        this.kills = kills;
        this.pause = pause;
        this.shift = shift;
    }

    static ParsedFaultPlan read(List<String> lines) {
        var kills = new ArrayList<Kill>();
        var invalid = new ArrayList<String>();
        Optional<Duration> pause = Optional.empty();
        var shift = Duration.ZERO;
        for (var raw : lines) {
            var line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) continue;
            var kill = KILL.matcher(line);
            var slow = SLOW.matcher(line);
            var clock = CLOCK.matcher(line);
            try {
                if (kill.matches()) {
                    int nth = kill.group(3) == null ? 1 : Integer.parseInt(kill.group(3));
                    kills.add(
                            new Kill(KillPoint.valueOf(upper(kill.group(1))), Step.valueOf(upper(kill.group(2))), nth));
                } else if (slow.matches()) {
                    pause = Optional.of(TextFormat.duration("slow", slow.group(1)));
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
        return new ParsedFaultPlan(new FaultPlan(kills, pause, shift), invalid);
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    /** The step at which the process is to die, if it is one of these. */
    synchronized Optional<Step> kills(KillPoint when, List<Step> steps) {
        Optional<Step> fatal = Optional.empty();
        for (var kill : kills)
            for (var step : steps)
                if (kill.when == when && kill.step == step && --kill.left == 0) fatal = Optional.of(step);
        return fatal;
    }

    /** The delay before each durable step. */
    Optional<Duration> pause() {
        return pause;
    }

    /** The offset of the wall clock. */
    Duration shift() {
        return shift;
    }
}
