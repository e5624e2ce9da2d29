package dev.roost.cluster;

import java.util.Collection;

/** Several values in the place of one: {@code = ANY (?)}, or {@code unnest(?)}. */
@SuppressWarnings("ArrayRecordComponent") // handed over and never compared
record Many(String type, Object[] values) {

    static Many texts(Collection<String> texts) {
        return new Many("text", texts.stream().map(PostgresSql::withoutNul).toArray());
    }

    static Many numbers(Collection<Long> numbers) {
        return new Many("int8", numbers.toArray());
    }

    static Many counts(Collection<Integer> counts) {
        return new Many("int4", counts.toArray());
    }
}
