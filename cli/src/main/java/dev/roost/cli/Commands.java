package dev.roost.cli;

import picocli.CommandLine.Model.CommandSpec;

/** What roost understands, for who describes it: the reference, the manual pages, and what checks the examples in the docs. */
public final class Commands {

    private Commands() {}

    public static CommandSpec model() {
        return CommandSpec.forAnnotatedObject(new Main(Invocation.ofThisProcess()));
    }
}
