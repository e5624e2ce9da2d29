package dev.roost.daemon.config;

import dev.roost.base.TextFormat;
import dev.roost.node.AttemptOrder;
import dev.roost.os.MachineLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code ledger} and {@code [node]}: the cluster of this home, and the node's own properties. */
public record NodeSettings(
        String ledger,
        String name,
        List<String> tags,
        List<Path> directories,
        Duration lease,
        Duration grace,
        Duration packEvery,
        boolean worker,
        int maxLiveInAll) {

    static final String TABLE = "node";
    static final Duration LEASE = Duration.ofSeconds(10);
    static final Duration GRACE = Duration.ofSeconds(30);
    static final Duration PACK_EVERY = Duration.ofSeconds(30);

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration GUARD_NEEDS = Duration.ofSeconds(5); // for the guard to start, and to end every agent

    /** Empty if the home uses its own ledger; errors in the table are reported even then. */
    static Optional<NodeSettings> of(SettingsTable settings, SettingsTable node, Map<String, String> environment) {
        var ledger = settings.text("ledger");
        if (ledger.isPresent() && !ledger.get().startsWith("postgresql://"))
            throw settings.wrong("ledger", "an address like postgresql://roost@db.example:5432/roost");
        var name = node.text("name")
                .orElseGet(() -> ledger.isPresent() ? host(environment) : "none")
                .toLowerCase(Locale.ROOT);
        if (!NAME.matcher(name).matches()) throw node.wrong("name", "a name of letters, digits, dots and dashes");
        var tags = node.texts("tags");
        if (!tags.stream().allMatch(AttemptOrder::isTag)) throw node.wrong("tags", "a list of single words");
        var directories = new ArrayList<Path>();
        for (var text : node.texts("directories")) {
            var directory = Path.of(text).normalize();
            if (!directory.isAbsolute()) throw node.wrong("directories", "a list of absolute paths");
            directories.add(directory);
        }
        var lease = node.duration("lease").orElse(LEASE);
        var grace = node.duration("grace").orElse(GRACE);
        if (lease.compareTo(SHORTEST) < 0) throw node.wrong("lease", "a second or more");
        var least = leastGrace(lease);
        if (grace.compareTo(least) < 0)
            throw node.wrong(
                    "grace",
                    "%s or more with a lease of %s: the agents of a dead daemon must be ended before other nodes continue their runs"
                            .formatted(TextFormat.span(least), TextFormat.span(lease)));
        var packEvery = node.duration("pack_every").orElse(PACK_EVERY);
        if (packEvery.compareTo(SHORTEST) < 0) throw node.wrong("pack_every", "a second or more");
        int all = settings.number("max_live_cluster", 1_000_000)
                .map(Math::toIntExact)
                .orElse(Integer.MAX_VALUE);
        boolean worker = node.flag("worker").orElse(true);
        return ledger.map(
                address -> new NodeSettings(address, name, tags, directories, lease, grace, packEvery, worker, all));
    }

    /**
     * The larger of twice the lease, and the time the guard needs. The last heartbeat that other nodes saw may be up to a third
     * of the lease older than the daemon's death.
     */
    private static Duration leastGrace(Duration lease) {
        var twice = lease.multipliedBy(2);
        var guarded = Duration.ofSeconds(lease.dividedBy(3)
                .plus(GUARD_NEEDS)
                .plus(SHORTEST)
                .plusMillis(999)
                .toSeconds());
        return twice.compareTo(guarded) < 0 ? guarded : twice;
    }

    /** How long after the daemon's death the guard ends its agents: the latest time before other nodes take over. */
    public Duration guardDelay() {
        return grace.minus(lease.dividedBy(3)).minus(GUARD_NEEDS);
    }

    private static String host(Map<String, String> environment) {
        var hostName = MachineLimits.hostName();
        if (hostName.isPresent()) return hostName.get();
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return environment.getOrDefault("HOSTNAME", "node");
        }
    }
}
