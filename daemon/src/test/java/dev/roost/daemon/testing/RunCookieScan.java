package dev.roost.daemon.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Which runs of a home have live processes, found without asking Roost. */
public final class RunCookieScan {

    private static final Pattern RUN = Pattern.compile("\0ROOST_RUN_ID=([^\0]*)\0");

    private RunCookieScan() {}

    public static Set<String> alive(Path home) throws IOException {
        var runs = new HashSet<String>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : all) {
                String environment;
                try {
                    environment =
                            "\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1) + "\0";
                } catch (IOException e) {
                    continue; // ended
                }
                var run = RUN.matcher(environment);
                boolean ours = environment.contains("\0ROOST_HOME=" + home + "\0") && run.find();
                if (ours
                        && DaemonFixture.alive(
                                Long.parseLong(process.getFileName().toString()))) runs.add(run.group(1));
            }
        }
        return runs;
    }
}
