package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.house.Config;
import dev.roost.house.House;
import dev.roost.house.Opening;
import dev.roost.house.Projects;
import dev.roost.house.ScheduleContract;
import dev.roost.ledger.Meters;
import dev.roost.run.Clock;
import dev.roost.run.RunId;
import dev.roost.shelf.Kept;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;

/** The days of a home that is the only node of a cluster, with the same promises, and what it owes the others. */
class PostgresScheduleTest extends ScheduleContract {

    @Override
    protected int usually() {
        return FULL ? 24 : 6;
    }

    @Override
    protected Opening newLedger() {
        return new OnlyNode(Databases.fresh());
    }

    private record OnlyNode(String address) implements Opening {

        @Override
        public House open(Home home, Config config, Clock clock) {
            int live = config.caps().machine();
            var labels = Set.of("node:only", "agent:command");
            var member = new Member("only", home.identity(), "test", labels, live, live, Member.Leases.DEFAULT);
            var cluster = Cluster.open(address, member, home, clock);
            return House.open(home, config, Projects.NONE, clock, Meters.NONE, cluster.ledger(), cluster);
        }

        @Override
        public void over(Home home) throws IOException {
            var shelf = new PostgresShelf(Address.parse(address).source("a test", 0));
            try (var runs = Files.list(home.runs())) {
                for (var directory : runs.toList()) {
                    var run = new RunId(directory.getFileName().toString());
                    assertThat(shelf.find(run, ShelfName.OUTPUT).map(Kept::length))
                            .as("how much of what %s said the others have", run)
                            .contains(Files.size(home.run(run).output()));
                }
            }
        }
    }
}
