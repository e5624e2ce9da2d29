package dev.roost.service;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * What to remove: what ended longer ago than {@code olderThan}, then the oldest until {@code mostBytes} are left.
 * {@code unmerged}: also runs whose code is merged nowhere, whose rescue refs then stay without a run; {@code keptToo}: also
 * what is in no checkpoint, because git ignores it or it is too big.
 */
public record PruneRequest(
        Duration olderThan,
        OptionalLong mostBytes,
        boolean unreadToo,
        boolean unmerged,
        boolean keptToo,
        boolean onlyLook) {}
