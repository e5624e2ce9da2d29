package dev.roost.cli;

import picocli.CommandLine.Command;

@Command(name = "nodes", description = "The same as node list.", hidden = true)
final class NodesCommand extends NodeList {}
