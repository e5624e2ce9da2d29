package dev.roost.bench;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How long a command takes from nothing to done, beside `node -e 0` on the same machine in the same minute. */
final class StartUp {

    private static final int ROUNDS = 21;

    private StartUp() {}

    static String beside(List<String> command, List<String> yardstick) throws Exception {
        var ours = new double[ROUNDS];
        var theirs = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) { // by turns, so that a noisy minute is noisy for both
            ours[i] = time(command);
            theirs[i] = time(yardstick);
        }
        Arrays.sort(ours);
        Arrays.sort(theirs);
        double median = ours[ROUNDS / 2];
        double other = theirs[ROUNDS / 2];
        return String.format(
                Locale.ROOT,
                "%.0f ms beside %.0f ms of %s: %.2f times",
                median,
                other,
                String.join(" ", yardstick),
                median / other);
    }

    private static double time(List<String> command) throws Exception {
        long began = System.nanoTime();
        var process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) throw new IllegalStateException(command + " failed");
        return (System.nanoTime() - began) / 1e6;
    }
}
