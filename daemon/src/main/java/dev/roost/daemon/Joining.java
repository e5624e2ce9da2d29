package dev.roost.daemon;

import dev.roost.Config;
import dev.roost.InstalledAgents;
import dev.roost.cluster.Cluster;
import dev.roost.cluster.Member;
import dev.roost.daemon.config.NodeSettings;
import dev.roost.run.Clock;
import dev.roost.supervisor.Home;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Makes a node of a home. */
final class Joining {

    private Joining() {}

    static Cluster cluster(
            NodeSettings node, Home home, Config config, Clock clock, String version, Map<String, String> environment) {
        var member = new Member(
                node.name(),
                home.identity(),
                version,
                labels(node, config, environment),
                node.worker() ? config.caps().machine() : 0,
                node.maxLiveInAll(),
                new Member.Leases(node.lease(), node.grace()));
        return Cluster.open(
                node.ledger(), member, home, clock, new Cluster.Habits(environment, node.packEvery()));
    }

    private static Set<String> labels(NodeSettings node, Config config, Map<String, String> environment) {
        var labels = new TreeSet<String>();
        labels.add("node:" + node.name());
        node.tags().forEach(tag -> labels.add("tag:" + tag));
        node.directories().forEach(directory -> labels.add("dir:" + directory));
        InstalledAgents.of(config, environment).forEach(agent -> labels.add("agent:" + agent));
        return labels;
    }
}
