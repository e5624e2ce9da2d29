package dev.roost.service.testing;

import java.util.stream.LongStream;

/** The seeds to play: {@code -Droost.seed=N} plays that one, {@code -Droost.schedules=N} plays N, from that seed on. */
public final class ScheduleSeeds {

    private ScheduleSeeds() {}

    public static LongStream asked(int defaultCount) {
        long first = Long.getLong("roost.seed", 1);
        boolean one = System.getProperty("roost.seed") != null;
        return LongStream.range(first, first + Integer.getInteger("roost.schedules", one ? 1 : defaultCount));
    }
}
