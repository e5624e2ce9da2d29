package dev.roost.daemon;

import dev.roost.cluster.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;

/** The same days for a daemon that is the only node of a cluster; it is back before anything of its could be given up. */
class NodeKillScheduleClusterTest extends DaemonKillScheduleProcessTest {

    @Override
    int usually() {
        return FULL ? 4 : 2;
    }

    @BeforeEach
    @Override
    public void startDaemon() throws IOException {
        var config = Files.createDirectories(scratch.resolve("config/roost")).resolve("config.toml");
        Files.writeString(config, """
                ledger = "%s"
                [node]
                name = "only"
                lease = "3s"
                grace = "30s"
                """.formatted(PostgresServer.shared().newDatabase()));
        super.startDaemon();
    }
}
