package dev.roost.cli.terminal;

/** Size of a terminal in characters. */
public record TerminalSize(int rows, int columns) {}
