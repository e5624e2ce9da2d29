package dev.roost.cluster.db;

import java.util.Collection;

/** An array as one parameter: {@code = ANY (?)}, or {@code unnest(?)}. */
@SuppressWarnings("ArrayRecordComponent")
public // never compared
record SqlArray(String type, Object[] values) {

    public static SqlArray texts(Collection<String> texts) {
        return new SqlArray(
                "text", texts.stream().map(PostgresConnection::withoutNul).toArray());
    }

    public static SqlArray numbers(Collection<Long> numbers) {
        return new SqlArray("int8", numbers.toArray());
    }

    public static SqlArray counts(Collection<Integer> counts) {
        return new SqlArray("int4", counts.toArray());
    }
}
