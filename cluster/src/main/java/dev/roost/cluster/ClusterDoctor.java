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

/** What the doctor says of the database and of the other nodes. No secret is in any of it. */
record ClusterDoctor(Ledger ledger, DatabaseAddress address, NodeIdentity identity, Clock clock) {

    private static final Duration NEAR = Duration.ofSeconds(2);
    private static final int OLDEST = 15;

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
                    "Agents go on, and what is to be written waits. Check PostgreSQL and the network."));
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
        if (number < OLDEST * 10_000)
            return DoctorResult.bad("database", message, "Use PostgreSQL %d or later.".formatted(OLDEST));
        return DoctorResult.good("database", message);
    }

    /** Leases go by the database's clock alone; but times in lists and notices are each node's own. */
    private DoctorResult clocks(SqlConnection handle) {
        var before = clock.now();
        var theirs = handle.select("SELECT clock_timestamp()")
                .one(row -> row.getObject(1, OffsetDateTime.class))
                .toInstant();
        var middle = before.plus(Duration.between(before, clock.now()).dividedBy(2));
        var apart = Duration.between(middle, theirs);
        var message = "this machine's is %d ms %s the database's"
                .formatted(Math.abs(apart.toMillis()), apart.isNegative() ? "before" : "behind");
        if (apart.abs().compareTo(NEAR) <= 0) return DoctorResult.good("clock", message);
        return DoctorResult.warning(
                "clock", message, "Let NTP set both: leases do not mind, but times in lists and reports are wrong.");
    }

    private static DoctorResult durability(SqlConnection handle) {
        var commit = text(handle, "SHOW synchronous_commit");
        var standbys = text(handle, "SHOW synchronous_standby_names");
        if (commit.equals("off") || commit.equals("local"))
            return DoctorResult.bad(
                    "durability",
                    "synchronous_commit = %s: what is acknowledged may be lost".formatted(commit),
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
        boolean master = handle.select("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
                .one(SqlConnection::truth);
        boolean owns = handle.select("""
                        SELECT pg_has_role(current_user, c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = 'run'::regclass
                        """).one(SqlConnection::truth);
        if (master)
            return DoctorResult.warning(
                    "role",
                    "%s is a superuser of the database".formatted(role),
                    "Nodes need far less: integrations/postgresql/roles.sql makes such a role.");
        return DoctorResult.good(
                "role",
                owns
                        ? role + " owns the tables, and changes them when Roost is upgraded"
                        : role + " reads and writes rows, and cannot change tables (roost ledger migrate does)");
    }

    private DoctorResult encryption(SqlConnection handle) {
        boolean tls = handle.select("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                .one(SqlConnection::truth);
        boolean near = handle.select(
                        "SELECT coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', TRUE)")
                .one(SqlConnection::truth);
        if (tls && address.verifies())
            return DoctorResult.good("encryption", "TLS, and the server's certificate is verified");
        if (near) return DoctorResult.good("encryption", tls ? "TLS" : "none, but the database is on this machine");
        return DoctorResult.warning(
                "encryption",
                tls
                        ? "TLS, but nobody checks whose certificate it is"
                        : "what goes to the database and back can be read on the way",
                "Add ?sslmode=verify-full&sslrootcert=… to the ledger's address: docs/cluster.md.");
    }

    private DoctorResult lease(List<NodeStatus> all) {
        var leases = "%s, taken over after %s"
                .formatted(
                        TextFormat.span(identity.leases().lease()),
                        TextFormat.span(identity.leases().grace()));
        var self = all.stream().filter(NodeStatus::self).findFirst();
        if (self.isEmpty())
            return DoctorResult.bad("lease", "this node has no row", "Start its daemon again: roost daemon stop.");
        var message = "%s is %s, heard of %s ago; lease %s"
                .formatted(
                        self.get().name(),
                        self.get().state().word(),
                        TextFormat.span(self.get().unheardFor()),
                        leases);
        return switch (self.get().state()) {
            case LIVE -> DoctorResult.good("lease", message);
            case DRAINING ->
                DoctorResult.warning(
                        "lease", message, "roost node resume %s gives it runs again.".formatted(identity.name()));
            case UNHEARD, LEFT ->
                DoctorResult.bad("lease", message, "Look at the daemon's log: it does not renew its lease.");
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
                "%s; not heard of: %s".formatted(message, unheard),
                "Start what should be there; roost node forget NAME for what does not come back.");
    }
}
