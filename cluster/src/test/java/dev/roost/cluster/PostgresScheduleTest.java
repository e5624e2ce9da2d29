package dev.roost.cluster;

import dev.roost.Config;
import dev.roost.Opening;
import dev.roost.Projects;
import dev.roost.Roost;
import dev.roost.ScheduleContract;
import dev.roost.ledger.Meters;
import dev.roost.run.Clock;
import dev.roost.supervisor.Home;
import java.util.Set;

/** The days of a home that is the only node of a cluster, with the same promises. */
class PostgresScheduleTest extends ScheduleContract {

    @Override
    protected int usually() {
        return 24;
    }

    @Override
    protected Opening newLedger() {
        var address = Databases.fresh();
        return (home, config, clock) -> open(address, home, config, clock);
    }

    private static Roost open(String address, Home home, Config config, Clock clock) {
        int live = config.caps().machine();
        var labels = Set.of("node:only", "agent:command");
        var member = new Member("only", home.identity(), "test", labels, live, live, Member.Leases.DEFAULT);
        var cluster = Cluster.open(address, member, home, clock);
        return Roost.open(home, config, Projects.NONE, clock, Meters.NONE, cluster.ledger(), cluster);
    }
}
