package dev.roost.cli;

import picocli.CommandLine;

/** Makes the commands of one command line, and tells each how it was called. */
record CommandFactory(Invocation invocation) implements CommandLine.IFactory {

    @Override
    public <K> K create(Class<K> type) throws Exception {
        var made = CommandLine.defaultFactory().create(type);
        if (made instanceof Common command) command.invocation = invocation;
        return made;
    }
}
