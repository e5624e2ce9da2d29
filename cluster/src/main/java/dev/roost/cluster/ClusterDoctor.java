package dev.roost.cluster;

import dev.roost.base.Clock;
import dev.roost.base.TextFormat;
import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.DatabaseErrors;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.DoctorResult;
import dev.roost.node.NodeStatus;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The doctor's findings about the database and the other nodes. They contain no secrets. */
record ClusterDoctor(Ledger ledger, DatabaseAddress address, NodeIdentity identity, Clock clock) {

    private static final Duration MOST_CLOCK_SKEW = Duration.ofSeconds(2);
    private static final int OLDEST_VERSION = 15;

    List<DoctorResult> findings(Supplier<List<NodeStatus>> peers) {
        var findings = new ArrayList<DoctorResult>();
        try {
            findings.add(ledger.read(this::database));
            findings.add(ledger.read(this::clocks));
            findings.add(ledger.read(ClusterDoctor::durability));
            findings.add(ledger.read(ClusterDoctor::role));
            findings.add(ledger.read(this::encryption));
            var all = peers.get();
            findings.add(lease(all));
            findings.add(others(all));
        } catch (RuntimeException e) {
            findings.add(DoctorResult.bad(
                    "database",
                    "%s cannot be reached: %s".formatted(address, DatabaseErrors.why(e)),
                    "Agents continue, and writes wait. Check PostgreSQL and the network."));
        }
        return findings;
    }

    private static String text(SqlConnection handle, String sql) {
        return handle.select(sql).one(SqlConnection::text);
    }

    private DoctorResult database(SqlConnection handle) {
        long before = clock.monotonicNanos();
        var version = text(handle, "SHOW server_version");
        var took = Duration.ofNanos(clock.monotonicNanos() - before);
        var message = "%s, PostgreSQL %s, answers in %.1f ms".formatted(address, version, took.toNanos() / 1e6);
        int number = Integer.parseInt(text(handle, "SHOW server_version_num"));
        if (number < OLDEST_VERSION * 10_000)
            return DoctorResult.bad("database", message, "Use PostgreSQL %d or later.".formatted(OLDEST_VERSION));
        return DoctorResult.good("database", message);
    }

    /** Leases use only the database's clock; times in lists and notices come from each node's own clock. */
    private DoctorResult clocks(SqlConnection handle) {
        var before = clock.now();
        var databaseTime = handle.select("SELECT clock_timestamp()")
                .one(row -> row.getObject(1, OffsetDateTime.class))
                .toInstant();
        var middle = before.plus(Duration.between(before, clock.now()).dividedBy(2));
        var skew = Duration.between(middle, databaseTime);
        var message = "this machine's clock is %d ms %s the database's"
                .formatted(Math.abs(skew.toMillis()), skew.isNegative() ? "ahead of" : "behind");
        if (skew.abs().compareTo(MOST_CLOCK_SKEW) <= 0) return DoctorResult.good("clock", message);
        return DoctorResult.warning(
                "clock",
                message,
                "Let NTP set both clocks. Leases are not affected, but times in lists and reports are wrong.");
    }

    private static DoctorResult durability(SqlConnection handle) {
        var commit = text(handle, "SHOW synchronous_commit");
        var standbys = text(handle, "SHOW synchronous_standby_names");
        if (commit.equals("off") || commit.equals("local"))
            return DoctorResult.bad(
                    "durability",
                    "synchronous_commit = %s: acknowledged writes may be lost".formatted(commit),
                    "Set synchronous_commit = on for this database.");
        return DoctorResult.good(
                "durability",
                "synchronous_commit = %s, %s"
                        .formatted(
                                commit,
                                standbys.isEmpty()
                                        ? "no synchronous standby (a lost disk loses the ledger)"
                                        : "synchronous standbys: " + standbys));
    }

    private static DoctorResult role(SqlConnection handle) {
        var role = text(handle, "SELECT current_user");
        boolean superuser = handle.select("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
                .one(SqlConnection::truth);
        boolean owns = handle.select("""
                        SELECT pg_has_role(current_user, c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = 'run'::regclass
                        """).one(SqlConnection::truth);
        if (superuser)
            return DoctorResult.warning(
                    "role",
                    "%s is a superuser of the database".formatted(role),
                    "Nodes need far less: integrations/postgresql/roles.sql creates a sufficient role.");
        return DoctorResult.good(
                "role",
                owns
                        ? role + " owns the tables, and migrates them when Roost is upgraded"
                        : role + " reads and writes rows, and cannot change tables (roost ledger migrate does)");
    }

    private DoctorResult encryption(SqlConnection handle) {
        boolean tls = handle.select("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                .one(SqlConnection::truth);
        boolean local = handle.select(
                        "SELECT coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', TRUE)")
                .one(SqlConnection::truth);
        if (tls && address.verifies())
            return DoctorResult.good("encryption", "TLS, and the server's certificate is verified");
        if (local) return DoctorResult.good("encryption", tls ? "TLS" : "none, but the database is on this machine");
        return DoctorResult.warning(
                "encryption",
                tls
                        ? "TLS, but the server's certificate is not verified"
                        : "traffic to and from the database is not encrypted",
                "Add ?sslmode=verify-full&sslrootcert=… to the ledger's address: docs/cluster.md.");
    }

    private DoctorResult lease(List<NodeStatus> all) {
        var leases = "%s, taken over after %s"
                .formatted(
                        TextFormat.span(identity.leases().lease()),
                        TextFormat.span(identity.leases().grace()));
        var self = all.stream().filter(NodeStatus::self).findFirst();
        if (self.isEmpty())
            return DoctorResult.bad("lease", "this node has no row", "Restart its daemon: roost daemon stop.");
        var message = "%s is %s, last heartbeat %s ago; lease %s"
                .formatted(
                        self.get().name(),
                        self.get().state().word(),
                        TextFormat.span(self.get().unheardFor()),
                        leases);
        return switch (self.get().state()) {
            case LIVE -> DoctorResult.good("lease", message);
            case DRAINING ->
                DoctorResult.warning(
                        "lease", message, "roost node resume %s lets it take runs again.".formatted(identity.name()));
            case UNHEARD, LEFT ->
                DoctorResult.bad("lease", message, "Check the daemon's log: it does not renew its lease.");
        };
    }

    private static DoctorResult others(List<NodeStatus> all) {
        var unheard = all.stream()
                .filter(peer -> peer.state() == NodeStatus.State.UNHEARD)
                .map(NodeStatus::name)
                .collect(Collectors.joining(", "));
        var versions = all.stream().map(NodeStatus::version).distinct().count();
        var message = "%d, %d of them live%s"
                .formatted(
                        all.size(),
                        all.stream()
                                .filter(peer -> peer.state() == NodeStatus.State.LIVE)
                                .count(),
                        versions > 1 ? ", of %d versions".formatted(versions) : "");
        if (unheard.isEmpty()) return DoctorResult.good("nodes", message);
        return DoctorResult.warning(
                "nodes",
                "%s; no heartbeat from: %s".formatted(message, unheard),
                "Start these nodes, or remove a node for good with roost node forget NAME.");
    }
}
