package dev.roost.ledger.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row that finds columns by their index in the SELECT: a search by name takes longer than reading the value. */
public record Row(ResultSet set, Map<String, Integer> places) {

    /** The column indexes, from the column list of the SELECT. */
    public static Map<String, Integer> places(String columns) {
        var places = new HashMap<String, Integer>();
        for (var column : columns.split(",", -1)) {
            places.put(
                    column.substring(column.lastIndexOf(column.contains(" AS ") ? ' ' : '.') + 1), places.size() + 1);
        }
        return Map.copyOf(places);
    }

    private int index(String column) {
        return Objects.requireNonNull(places.get(column), column);
    }

    public String text(String column) throws SQLException {
        return Objects.requireNonNull(set.getString(index(column)), column);
    }

    public Optional<String> maybeText(String column) throws SQLException {
        @Nullable String text = set.getString(index(column));
        return Optional.ofNullable(text);
    }

    public int count(String column) throws SQLException {
        return set.getInt(index(column));
    }

    public long number(String column) throws SQLException {
        return set.getLong(index(column));
    }

    public Optional<Long> maybeNumber(String column) throws SQLException {
        long value = set.getLong(index(column));
        return set.wasNull() ? Optional.empty() : Optional.of(value);
    }

    public Instant time(String column) throws SQLException {
        return Instant.ofEpochMilli(number(column));
    }

    public Optional<Instant> maybeTime(String column) throws SQLException {
        return maybeNumber(column).map(Instant::ofEpochMilli);
    }
}
