package dev.roost.cluster.migrate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/** Copies the rows of a table, many at a time, in PostgreSQL's own text format. */
final class BulkCopy {

    private static final int BUFFER = 1 << 16;

    /** Converts a value for the shared ledger. */
    interface ValueMapper {
        @Nullable
        Object of(String column, @Nullable Object value);
    }

    private BulkCopy() {}

    /** The columns have the same names on both sides. */
    static void copy(EmbeddedLedgerFile from, Connection to, String table, ValueMapper change)
            throws SQLException, IOException {
        var columns = columns(from, table);
        var sql = "COPY %s (%s) FROM STDIN".formatted(table, String.join(", ", columns));
        try (var out = new PGCopyOutputStream(to.unwrap(PGConnection.class), sql, BUFFER)) {
            from.each(table, row -> {
                try {
                    out.write(line(row, columns, change).getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    throw new SQLException(e);
                }
            });
        }
    }

    private static List<String> columns(EmbeddedLedgerFile from, String table) {
        return from.texts("SELECT name FROM pragma_table_info('%s') ORDER BY cid".formatted(table));
    }

    private static String line(ResultSet row, List<String> columns, ValueMapper change) throws SQLException {
        var line = new StringBuilder();
        for (var column : columns) add(line, change.of(column, row.getObject(column)));
        line.setCharAt(line.length() - 1, '\n');
        return line.toString();
    }

    private static void add(StringBuilder line, @Nullable Object value) {
        if (value == null) {
            line.append("\\N\t");
            return;
        }
        var text = value.toString();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                case '\0' -> line.append('\uFFFD'); // PostgreSQL cannot store it in a text
                default -> line.append(c);
            }
        }
        line.append('\t');
    }
}
