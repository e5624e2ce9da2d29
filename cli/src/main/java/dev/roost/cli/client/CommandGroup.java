package dev.roost.cli.client;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Base of the commands that only have subcommands: prints the help. */
public abstract class CommandGroup implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public final void run() {
        spec.commandLine().usage(System.out);
    }
}
