package dev.roost.cli.terminal;

/** Of a terminal, in characters. */
public record Size(int rows, int columns) {}
