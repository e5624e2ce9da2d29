package dev.roost.cli;

import dev.roost.cli.client.Invocation;
import picocli.CommandLine.Model.CommandSpec;

/** What roost understands, for who describes it: the reference, the manual pages, and what checks the examples in the docs. */
public final class CommandCatalog {

    private CommandCatalog() {}

    public static CommandSpec model() {
        return CommandSpec.forAnnotatedObject(new CliMain(Invocation.ofThisProcess()));
    }
}
