package dev.roost.examples.embed;

import dev.roost.agent.Context;
import dev.roost.agent.JavaAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Counts the lines of the files in its prompt, one file name a line. Files counted before a loss are not counted again. */
public final class LineCounter implements JavaAgent {

    @Override
    public String work(Context context) throws IOException {
        long sum = 0;
        for (var name : context.prompt().lines().toList()) {
            long lines = context.step("count " + name, () -> {
                try (var all = Files.lines(Path.of(name))) {
                    return all.count();
                }
            });
            context.say(name + " has " + lines + " lines.");
            sum += lines;
        }
        return sum + " lines in all";
    }
}
