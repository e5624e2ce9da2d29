package dev.roost;

import java.time.Duration;
import java.util.OptionalLong;

/** What to remove: what ended longer ago than {@code olderThan}, then the oldest until {@code mostBytes} are left. */
public record Pruning(Duration olderThan, OptionalLong mostBytes, boolean unreadToo, boolean onlyLook) {}
