package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.base.Clock;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.cluster.files.SharedFile;
import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.home.Home;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import dev.roost.service.RandomRunScheduleContract;
import dev.roost.service.RoostService;
import dev.roost.service.testing.RoostOpener;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;

/** Runs the random schedules of a single home on the only node of a cluster, and checks its shared files. */
class PostgresRunScheduleClusterTest extends RandomRunScheduleContract {

    @Override
    protected int usually() {
        return FULL ? 24 : 6;
    }

    @Override
    protected RoostOpener newLedger() {
        return new OnlyNode(SchemaDatabases.fresh());
    }

    private record OnlyNode(String address) implements RoostOpener {

        @Override
        public RoostService open(Home home, EngineConfig config, Clock clock) {
            int live = config.caps().machine();
            var labels = Set.of("node:only", "agent:command");
            var identity = new NodeIdentity(
                    "only", home.identity(), "test", labels, live, live, NodeIdentity.LeaseTimes.DEFAULT);
            var cluster = PostgresCluster.open(address, identity, home, clock);
            return RoostService.open(
                    home, config, ProjectLookup.NONE, clock, LedgerMetrics.NONE, cluster.ledger(), cluster.roles());
        }

        @Override
        public void over(Home home) throws IOException {
            var sharedFiles =
                    new PostgresFileStore(DatabaseAddress.parse(address).source("a test", 0));
            try (var runs = Files.list(home.runs())) {
                for (var directory : runs.toList()) {
                    var run = new RunId(directory.getFileName().toString());
                    assertThat(sharedFiles.find(run, SharedFileName.OUTPUT).map(SharedFile::length))
                            .as("the output of %s that is shared", run)
                            .contains(Files.size(home.run(run).output()));
                }
            }
        }
    }
}
