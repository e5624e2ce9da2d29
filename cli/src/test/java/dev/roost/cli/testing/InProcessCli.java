package dev.roost.cli.testing;

import dev.roost.cli.CliMain;
import dev.roost.cli.client.Invocation;
import dev.roost.testing.RoostCommandLines;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Carries commands out in this JVM, by the same entry as the program: with a given environment and directory, on streams that are
 * replaced meanwhile. What they start, the daemon before all, are processes as ever.
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

    /** One at a time: the streams are this JVM's. */
    static synchronized CliFixture.Ran run(Invocation invocation, String input, String... words) {
        var in = System.in;
        var out = System.out;
        var err = System.err;
        var said = new ByteArrayOutputStream();
        var complained = new ByteArrayOutputStream();
        try {
            System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
            int exit = CliMain.run(invocation, words);
            return new CliFixture.Ran(
                    exit, said.toString(StandardCharsets.UTF_8), complained.toString(StandardCharsets.UTF_8));
        } finally {
            System.setIn(in);
            System.setOut(out);
            System.setErr(err);
        }
    }
}
