package dev.roost.cluster.db;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.sql.SQLException;
import java.util.Set;
import javax.net.ssl.SSLException;
import javax.sql.DataSource;

/** Checks that the database accepts connections, and explains a failure without revealing secrets. */
public final class ConnectionCheck {

    private static final Set<String> ACCESS_DENIED = Set.of("28P01", "28000");
    private static final String NO_SUCH_DATABASE = "3D000";

    private ConnectionCheck() {}

    public static void attempt(DatabaseAddress address, DataSource source) {
        try (var connection = source.getConnection()) {
            connection.setReadOnly(true);
        } catch (SQLException e) {
            throw explained(address, e);
        }
    }

    private static RoostError explained(DatabaseAddress address, SQLException e) {
        var why = DatabaseErrors.why(e);
        var state = String.valueOf(e.getSQLState());
        if (isAboutTls(e)) {
            return broken(
                    ErrorCode.LEDGER_NOT_TRUSTED,
                    "The database at %s could not prove its identity: %s.".formatted(address, why));
        }
        if (ACCESS_DENIED.contains(state) || why.contains("password")) {
            return broken(
                    ErrorCode.LEDGER_NOT_LET_IN,
                    "The database at %s rejects this node's login: %s.".formatted(address, why));
        }
        if (state.equals(NO_SUCH_DATABASE)) {
            return broken(ErrorCode.LEDGER_MISSING, "There is no database at %s.".formatted(address));
        }
        return ErrorCode.LEDGER_AWAY.error(
                "The database at %s cannot be reached: %s."
                        .formatted(address, why)
                        .replace("..", "."),
                "Check that PostgreSQL runs there and that this machine may connect to it.");
    }

    private static RoostError broken(ErrorCode code, String sentence) {
        return code.error(sentence.replace("..", "."));
    }

    private static boolean isAboutTls(Throwable e) {
        for (var at = e; at != null; at = at.getCause()) {
            var message = String.valueOf(at.getMessage());
            if (at instanceof SSLException || message.contains("SSL") || message.contains("hostnameverifier"))
                return true;
        }
        return false;
    }
}
