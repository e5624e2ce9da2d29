package dev.roost.daemon;

import dev.roost.base.BadInput;
import dev.roost.base.ErrorCode;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import dev.roost.cluster.db.PostgresDatabase;
import dev.roost.cluster.db.PostgresSchema;
import dev.roost.cluster.migrate.LedgerMigration;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.ConfigFile;
import dev.roost.daemon.config.LedgerSetting;
import dev.roost.daemon.config.NodeSettings;
import dev.roost.home.Home;
import dev.roost.home.HomeLock;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * Maintains a ledger that no daemon has open. The arguments are {@code HOME} and {@code move}, {@code join} or {@code migrate}.
 * The address of the shared ledger is read from config.toml or {@code ROOST_LEDGER}, because a process list would show an
 * argument. Writes its progress as lines of JSON, and {@code {"done": …}} or {@code {"error": …}} as the last line.
 */
public final class LedgerTool {

    private static final int FAILED = 1;
    private static final int WRONG = 2;
    private static final int REFUSED = 5;

    private LedgerTool() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(run(Path.of(arguments[0]), arguments[1], System.getenv()));
    }

    private static int run(Path root, String verb, Map<String, String> environment) throws IOException {
        var last = RunJson.MAPPER.createObjectNode();
        try {
            var node = ConfigFile.surfaces(environment).node().orElseThrow(LedgerTool::noAddress);
            last.set(
                    "done",
                    switch (verb) {
                        case "move" -> move(Home.open(root), node);
                        case "join" -> join(Home.open(root), node, LedgerSetting.of(environment));
                        default -> migrate(node);
                    });
        } catch (RoostError e) {
            last.set("error", RunJson.error(e));
            System.out.println(last);
            return switch (e) {
                case BadInput _ -> WRONG;
                case Refusal _ -> REFUSED;
                default -> FAILED;
            };
        }
        System.out.println(last);
        return 0;
    }

    private static RoostError noAddress() {
        return ErrorCode.NO_LEDGER_ADDRESS.error("The address of the shared ledger is missing.");
    }

    private static ObjectNode move(Home home, NodeSettings node) throws IOException {
        home.unpackLibraries();
        try (var _ = HomeLock.take(home)) {
            var moved = LedgerMigration.move(
                    node.ledger(), node.name(), home, new SystemClock(), LedgerTool::printProgress);
            var answer = RunJson.MAPPER.createObjectNode();
            answer.put("node", node.name()).put("kept", moved.kept().toString());
            moved.rows().forEach(answer.putObject("rows")::put);
            return answer;
        }
    }

    /** Moves the home's records to the shared ledger. Writes config.toml last, so a failure before leaves the home unchanged. */
    private static ObjectNode join(Home home, NodeSettings node, LedgerSetting setting) throws IOException {
        setting.refuseAnother(node.ledger());
        var answer = LedgerMigration.isWanted(home) ? move(home, node) : RunJson.MAPPER.createObjectNode();
        PostgresDatabase.open(node.ledger(), node.name(), new SystemClock())
                .close(); // reports now what would keep a daemon from starting
        setting.write(node.ledger());
        return answer.put("node", node.name()).put("config", setting.file().toString());
    }

    private static void printProgress(String what, long done, long all) {
        var line = RunJson.MAPPER.createObjectNode();
        line.putObject("progress").put("what", what).put("done", done).put("all", all);
        System.out.println(line);
    }

    private static ObjectNode migrate(NodeSettings node) {
        var answer = RunJson.MAPPER.createObjectNode();
        return answer.put("schema", PostgresSchema.migrate(node.ledger()));
    }
}
