package dev.roost.cli;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.Invocation;
import picocli.CommandLine;

/** Creates the commands of one command line and sets their invocation. */
record CommandFactory(Invocation invocation) implements CommandLine.IFactory {

    @Override
    public <K> K create(Class<K> type) throws Exception {
        var created = CommandLine.defaultFactory().create(type);
        if (created instanceof ClientCommand command) command.invocation = invocation;
        return created;
    }
}
