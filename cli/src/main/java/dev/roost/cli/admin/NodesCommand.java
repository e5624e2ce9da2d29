package dev.roost.cli.admin;

import picocli.CommandLine.Command;

@Command(name = "nodes", description = "The same as node list.", hidden = true)
public final class NodesCommand extends NodeListCommand {}
