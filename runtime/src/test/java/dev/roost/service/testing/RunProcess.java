package dev.roost.service.testing;

import dev.roost.home.Home;
import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds the processes of a home's runs without Roost: by environment variable, or by the files that they write. */
public record RunProcess(ProcessId id, long parent, String run, String command) {

    private static final Path PROC = Path.of("/proc");
    private static final Pattern COOKIE = Pattern.compile("\0ROOST_RUN_ID=([^\0]*)\0");

    public static List<RunProcess> in(Home home) {
        var found = new ArrayList<RunProcess>();
        try (var all = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var process : all) inspect(process, home).ifPresent(found::add);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }

    private static Optional<RunProcess> inspect(Path process, Home home) {
        try {
            String environment =
                    "\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1) + "\0";
            var cookie = COOKIE.matcher(environment);
            String run;
            if (environment.contains("\0ROOST_HOME=" + home.root() + "\0") && cookie.find()) {
                run = cookie.group(1);
            } else {
                var out = Files.readSymbolicLink(process.resolve("fd/1"));
                if (!out.startsWith(home.runs())) return Optional.empty();
                run = home.runs().relativize(out).getName(0).toString();
            }
            return stat(process, run);
        } catch (IOException e) {
            return Optional.empty(); // the process has ended
        }
    }

    private static Optional<RunProcess> stat(Path process, String run) throws IOException {
        String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
        var words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 21);
        if (words[0].equals("Z") || words[0].equals("X")) return Optional.empty();
        var id = new ProcessId(Long.parseLong(process.getFileName().toString()), Long.parseLong(words[19]));
        String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                .replace('\0', ' ');
        return Optional.of(new RunProcess(id, Long.parseLong(words[1]), run, command));
    }
}
