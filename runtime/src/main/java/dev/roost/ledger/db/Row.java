package dev.roost.ledger.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row whose columns are found by the places that its SELECT gives them: to search each row for a name takes longer than to read it. */
public record Row(ResultSet set, Map<String, Integer> places) {

    /** By the list of columns that stands behind SELECT. */
    public static Map<String, Integer> places(String columns) {
        var places = new HashMap<String, Integer>();
        for (var column : columns.split(",", -1)) {
            places.put(
                    column.substring(column.lastIndexOf(column.contains(" AS ") ? ' ' : '.') + 1), places.size() + 1);
        }
        return Map.copyOf(places);
    }

    private int place(String column) {
        return Objects.requireNonNull(places.get(column), column);
    }

    public String text(String column) throws SQLException {
        return Objects.requireNonNull(set.getString(place(column)), column);
    }

    public Optional<String> maybeText(String column) throws SQLException {
        @Nullable String text = set.getString(place(column));
        return Optional.ofNullable(text);
    }

    public int count(String column) throws SQLException {
        return set.getInt(place(column));
    }

    public long number(String column) throws SQLException {
        return set.getLong(place(column));
    }

    public Optional<Long> maybeNumber(String column) throws SQLException {
        long value = set.getLong(place(column));
        return set.wasNull() ? Optional.empty() : Optional.of(value);
    }

    public Instant time(String column) throws SQLException {
        return Instant.ofEpochMilli(number(column));
    }

    public Optional<Instant> maybeTime(String column) throws SQLException {
        return maybeNumber(column).map(Instant::ofEpochMilli);
    }
}
