package dev.roost.service.testing;

import java.util.stream.LongStream;

/** Which schedules to play: {@code -Droost.seed=N} that one, {@code -Droost.schedules=N} so many (from that one on). */
public final class ScheduleSeeds {

    private ScheduleSeeds() {}

    public static LongStream asked(int usually) {
        long first = Long.getLong("roost.seed", 1);
        boolean one = System.getProperty("roost.seed") != null;
        return LongStream.range(first, first + Integer.getInteger("roost.schedules", one ? 1 : usually));
    }
}
