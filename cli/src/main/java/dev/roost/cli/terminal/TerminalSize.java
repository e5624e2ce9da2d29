package dev.roost.cli.terminal;

/** Of a terminal, in characters. */
public record TerminalSize(int rows, int columns) {}
