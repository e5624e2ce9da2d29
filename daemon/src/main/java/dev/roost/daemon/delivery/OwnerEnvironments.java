package dev.roost.daemon.delivery;

import dev.roost.agents.AgentEnvironment;
import dev.roost.base.RoostError;
import dev.roost.config.WakePolicy;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.model.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The environment of each owner's harness, as its bridge reported it; it is needed to start that harness again. It contains
 * keys, so it is stored in private files, and only if the operator has headless wake on.
 */
public final class OwnerEnvironments {

    private static final System.Logger LOG = System.getLogger(OwnerEnvironments.class.getName());
    private static final int MOST_BYTES = 4 << 20;

    private final Path directory;
    private final boolean enabled;
    private final Map<Owner, Map<String, String>> known = new ConcurrentHashMap<>();

    private OwnerEnvironments(Path directory, boolean enabled) {
        this.directory = directory;
        this.enabled = enabled;
    }

    public static OwnerEnvironments open(Home home, WakePolicy policy, Instant now) {
        boolean enabled = policy.mode() == WakePolicy.Mode.HEADLESS;
        var directory = home.root().resolve("owners");
        new ExpiredFiles(directory, "*")
                .remove(
                        enabled
                                ? now.minus(ExpiredFiles.KEPT)
                                : Instant.MAX); // without headless wake, delete all of them
        return new OwnerEnvironments(directory, enabled);
    }

    public synchronized void remember(Owner owner, Map<String, String> environment) {
        if (!enabled) return;
        try {
            var filtered = AgentEnvironment.filtered(environment);
            if (filtered.equals(of(owner).orElse(Map.of()))) return;
            known.put(owner, filtered);
            write(file(owner), filtered);
        } catch (IOException | RoostError e) {
            LOG.log(System.Logger.Level.WARNING, "the environment of {0} could not be stored: {1}", owner, e);
        }
    }

    Optional<Map<String, String>> of(Owner owner) {
        if (!enabled) return Optional.empty();
        var cached = known.get(owner);
        if (cached != null) return Optional.of(cached);
        try {
            var stored = read(file(owner));
            if (!stored.isEmpty()) known.put(owner, stored);
            return Optional.of(stored).filter(some -> !some.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Path file(Owner owner) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(owner.id().getBytes(StandardCharsets.UTF_8));
            return directory.resolve(HexFormat.of().formatHex(hash, 0, 16) + ".env");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void write(Path file, Map<String, String> environment) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        var text = new StringBuilder();
        environment.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\0'));
        PrivateFiles.replace(file, file.getFileName() + ".new", text.toString());
    }

    private static Map<String, String> read(Path file) throws IOException {
        var environment = new TreeMap<String, String>();
        for (var variable : PrivateFiles.tail(file, MOST_BYTES).split("\0", -1)) {
            int equals = variable.indexOf('=');
            if (equals > 0) environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return environment;
    }
}
