package dev.roost.home;

import java.time.Instant;

/** Says in an attempt's directory that this node killed the attempt's processes, because another node owns the run. */
public record FenceMark(Instant at, String why) {}
