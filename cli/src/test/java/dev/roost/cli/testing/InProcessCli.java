package dev.roost.cli.testing;

import dev.roost.cli.CliMain;
import dev.roost.cli.client.Invocation;
import dev.roost.testing.RoostCommandLines;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Runs commands in this JVM through the program's entry point, with a given environment and directory and with captured
 * streams. Their child processes, such as the daemon, are real.
 */
final class InProcessCli {

    static {
        for (var option : CliFixture.options()) {
            int equals = option.indexOf('=');
            System.setProperty(option.substring(2, equals), option.substring(equals + 1));
        }
        RoostCommandLines.cliProperties().forEach(System::setProperty);
    }

    private InProcessCli() {}

    /** Synchronized, since the streams belong to the JVM. */
    static synchronized CliFixture.Ran run(Invocation invocation, String input, String... words) {
        var in = System.in;
        var out = System.out;
        var err = System.err;
        var capturedOut = new ByteArrayOutputStream();
        var capturedErr = new ByteArrayOutputStream();
        try {
            System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(capturedOut, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(capturedErr, true, StandardCharsets.UTF_8));
            int exit = CliMain.run(invocation, words);
            return new CliFixture.Ran(
                    exit, capturedOut.toString(StandardCharsets.UTF_8), capturedErr.toString(StandardCharsets.UTF_8));
        } finally {
            System.setIn(in);
            System.setOut(out);
            System.setErr(err);
        }
    }
}
