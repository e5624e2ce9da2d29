package dev.roost.daemon;

import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import dev.roost.cluster.db.MigrationRunner;
import dev.roost.cluster.db.PostgresDatabase;
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
 * What is done to a ledger while no daemon has it: {@code HOME} and {@code move}, {@code join} or {@code migrate}, with the address of the shared
 * one in config.toml or {@code ROOST_LEDGER}, where no list of processes shows it. Tells in lines of JSON how far it is, and
 * last {@code {"done": …}} or {@code {"error": …}}.
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

    private static BadInput noAddress() {
        return new BadInput(
                "no_ledger_address",
                "Nobody said where the shared ledger is.",
                "Name it, postgresql://user@host:5432/database, or put it into config.toml as ledger.");
    }

    private static ObjectNode move(Home home, NodeSettings node) throws IOException {
        home.unpackLibraries();
        try (var _ = HomeLock.take(home)) {
            var moved = LedgerMigration.move(node.ledger(), node.name(), home, new SystemClock(), LedgerTool::tell);
            var answer = RunJson.MAPPER.createObjectNode();
            answer.put("node", node.name()).put("kept", moved.kept().toString());
            moved.rows().forEach(answer.putObject("rows")::put);
            return answer;
        }
    }

    /** What the home knows goes along. Last of all config.toml says so: until then the home is as it was. */
    private static ObjectNode join(Home home, NodeSettings node, LedgerSetting line) throws IOException {
        line.refuseAnother(node.ledger());
        var answer = LedgerMigration.isWanted(home) ? move(home, node) : RunJson.MAPPER.createObjectNode();
        PostgresDatabase.open(node.ledger(), node.name(), new SystemClock())
                .close(); // whatever keeps a daemon out is said now
        line.write(node.ledger());
        return answer.put("node", node.name()).put("config", line.file().toString());
    }

    private static void tell(String what, long done, long all) {
        var line = RunJson.MAPPER.createObjectNode();
        line.putObject("progress").put("what", what).put("done", done).put("all", all);
        System.out.println(line);
    }

    private static ObjectNode migrate(NodeSettings node) {
        var answer = RunJson.MAPPER.createObjectNode();
        return answer.put("schema", MigrationRunner.run(node.ledger()));
    }
}
