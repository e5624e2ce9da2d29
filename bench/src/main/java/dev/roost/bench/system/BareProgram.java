package dev.roost.bench.system;

import java.io.IOException;

/** Runs programs whose output is not needed. */
public final class BareProgram {

    private BareProgram() {}

    public static int exit(ProcessBuilder program) throws Exception {
        return program.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    public static void run(ProcessBuilder program) throws Exception {
        int status = exit(program);
        if (status != 0) throw new IOException(String.join(" ", program.command()) + " ended with " + status);
    }

    public static void run(String... words) throws Exception {
        run(new ProcessBuilder(words));
    }
}
