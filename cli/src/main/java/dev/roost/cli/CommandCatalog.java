package dev.roost.cli;

import dev.roost.cli.client.Invocation;
import picocli.CommandLine.Model.CommandSpec;

/** The command model, for the generated reference, the manual pages and the check of examples in the docs. */
public final class CommandCatalog {

    private CommandCatalog() {}

    public static CommandSpec model() {
        return CommandSpec.forAnnotatedObject(new CliMain(Invocation.ofThisProcess()));
    }
}
