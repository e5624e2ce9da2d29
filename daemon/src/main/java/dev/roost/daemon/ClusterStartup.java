package dev.roost.daemon;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.cluster.NodeIdentity;
import dev.roost.cluster.PostgresCluster;
import dev.roost.config.EngineConfig;
import dev.roost.daemon.config.NodeSettings;
import dev.roost.engine.InstalledAgents;
import dev.roost.home.Home;
import dev.roost.node.NodeGuard;
import dev.roost.process.Cgroups;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Opens the cluster of a home that is a node, and starts the node's guard. */
final class ClusterStartup {

    private ClusterStartup() {}

    static PostgresCluster cluster(
            NodeSettings node,
            Home home,
            EngineConfig config,
            Clock clock,
            String version,
            Map<String, String> environment) {
        var identity = new NodeIdentity(
                node.name(),
                home.identity(),
                version,
                labels(node, config, environment),
                node.worker() ? config.caps().machine() : 0,
                node.maxLiveInAll(),
                new NodeIdentity.LeaseTimes(node.lease(), node.grace()));
        return PostgresCluster.open(
                node.ledger(),
                identity,
                home,
                clock,
                new PostgresCluster.MachineSettings(environment, node.packEvery()));
    }

    /** Starts the guard. It ends this node's agents shortly before other nodes may take over their runs. */
    static NodeGuard guard(NodeSettings node, Home home, PostgresCluster cluster) {
        try {
            return NodeGuard.start(home, node.guardDelay(), Cgroups.open());
        } catch (IOException e) {
            cluster.close();
            cluster.ledger().close();
            throw ErrorCode.NO_GUARD.error(
                    "The guard, which ends this node's agents when its daemon is away for too long, could not be started: %s."
                            .formatted(e.getMessage()));
        }
    }

    private static Set<String> labels(NodeSettings node, EngineConfig config, Map<String, String> environment) {
        var labels = new TreeSet<String>();
        labels.add("node:" + node.name());
        node.tags().forEach(tag -> labels.add("tag:" + tag));
        node.directories().forEach(directory -> labels.add("dir:" + directory));
        InstalledAgents.of(config, environment).forEach(agent -> labels.add("agent:" + agent));
        return labels;
    }
}
