package dev.roost.service;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Which runs to remove: runs that ended longer ago than {@code olderThan}, then the oldest until {@code mostBytes} are left.
 * {@code unmerged}: also runs whose code is not merged; their rescue refs stay. {@code keptToo}: also files that are in no
 * checkpoint because git ignores them or they are too big. {@code onlyLook}: remove nothing, only report.
 */
public record PruneRequest(
        Duration olderThan,
        OptionalLong mostBytes,
        boolean unreadToo,
        boolean unmerged,
        boolean keptToo,
        boolean onlyLook) {}
