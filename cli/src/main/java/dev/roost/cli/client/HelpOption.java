package dev.roost.cli.client;

import picocli.CommandLine.Option;

/** {@code --help}, for commands without {@code --version}. */
public final class HelpOption {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    boolean help;
}
