package dev.roost.cli;

import picocli.CommandLine.Option;

/** What every command has. */
abstract class Helped {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    boolean help;
}
