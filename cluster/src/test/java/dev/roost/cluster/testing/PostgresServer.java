package dev.roost.cluster.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A PostgreSQL server for tests: on a free port of loopback, in a temporary directory, with fsync on. It ends with its tests,
 * even if their JVM is killed.
 */
public final class PostgresServer implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String USER = "roost";
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final int PORTS_OF_A_JVM = 20;
    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    /** Kills the server and removes its files when standard input is closed, which happens when this JVM ends in any way. */
    private static final String GUARD = """
            cat >/dev/null
            for file in "$1"/*/postmaster.pid; do
                [ -f "$file" ] || continue
                pid=$(head -n 1 "$file")
                [ "$(cat /proc/"$pid"/comm 2>/dev/null)" = postgres ] && kill -QUIT "$pid"
                while [ "$(cat /proc/"$pid"/comm 2>/dev/null)" = postgres ]; do sleep 0.1; done
            done
            rm -rf -- "$1"
            """;

    private final PostgresPrograms programs;
    private final Path root;
    private final Path data;
    private final int port;
    private final String password;
    private final Optional<LoopbackCertificate> certificate;
    private final Optional<Process> guard;
    private final List<PostgresServer> standbys = new ArrayList<>();
    private Optional<Process> server = Optional.empty();

    private PostgresServer(
            PostgresPrograms programs,
            Path root,
            Path data,
            String password,
            Optional<LoopbackCertificate> certificate,
            Optional<Process> guard) {
        this.programs = programs;
        this.root = root;
        this.data = data;
        this.port = freePort();
        this.password = password;
        this.certificate = certificate;
        this.guard = guard;
    }

    /** The server that all tests of this JVM share, each with its own database; tests must not kill it. */
    public static PostgresServer shared() {
        return Shared.ONE;
    }

    private static final class Shared {
        static final PostgresServer ONE = create();

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                ONE.kill(); // its files are deleted, so no orderly stop is needed
                ONE.close();
            }));
        }
    }

    /** A server of its own, which a test may kill, stop and start. */
    public static PostgresServer create() {
        return create(false);
    }

    /** A server that accepts only TLS; its {@link #url} contains the verification settings. */
    public static PostgresServer withTls() {
        return create(true);
    }

    private static PostgresServer create(boolean tls) {
        var programs = PostgresPrograms.find();
        try {
            var root = Files.createTempDirectory("roost-postgres-");
            programs.own(root);
            var guard = new ProcessBuilder("sh", "-c", GUARD, "guard", root.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            var certificate = tls ? Optional.of(LoopbackCertificate.make(root)) : Optional.<LoopbackCertificate>empty();
            if (certificate.isPresent()) programs.own(certificate.get().key());
            var password = UUID.randomUUID().toString();
            var secret = Files.writeString(root.resolve("password"), password);
            programs.own(secret);
            var data = root.resolve("primary");
            programs.run(
                    "initdb",
                    "--pgdata=" + data,
                    "--username=" + USER,
                    "--pwfile=" + secret,
                    "--auth=scram-sha-256",
                    "--encoding=UTF8",
                    "--no-locale",
                    "--no-sync");
            var made = new PostgresServer(programs, root, data, password, certificate, Optional.of(guard));
            made.configure();
            made.start();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void configure() throws IOException {
        append("postgresql.conf", """
                listen_addresses = '127.0.0.1'
                unix_socket_directories = ''
                fsync = on
                synchronous_commit = on
                full_page_writes = on
                shared_buffers = 32MB
                max_connections = 200
                wal_level = replica
                max_wal_senders = 5
                wal_keep_size = 256MB
                max_wal_size = 512MB
                timezone = 'UTC'
                """);
        if (certificate.isEmpty()) return;
        append("postgresql.conf", """
                ssl = on
                ssl_cert_file = '%s'
                ssl_key_file = '%s'
                """.formatted(
                        certificate.get().certificate(), certificate.get().key()));
        Files.writeString(data.resolve("pg_hba.conf"), """
                hostssl all         all 127.0.0.1/32 scram-sha-256
                hostssl replication all 127.0.0.1/32 scram-sha-256
                """);
    }

    private void append(String file, String text) throws IOException {
        Files.writeString(data.resolve(file), text, StandardOpenOption.APPEND);
    }

    /**
     * A port below 32768, which the kernel does not give to a client's socket while the server is down. Concurrent test JVMs try
     * different ports.
     */
    private static int freePort() {
        int first = 12_000 + (int) (ProcessHandle.current().pid() % 1_000) * PORTS_OF_A_JVM;
        for (int port = first; port < first + PORTS_OF_A_JVM; port++) {
            if (!TAKEN.add(port)) continue;
            try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (IOException e) {
                TAKEN.remove(port); // used by another process
            }
        }
        throw new AssertionError("no free port from %d on".formatted(first));
    }

    /** The address as in config.toml; with {@code jdbc:} before it, a driver accepts it. */
    public String url() {
        return url("postgres");
    }

    private String url(String database) {
        return "postgresql://127.0.0.1:%d/%s?user=%s&password=%s%s".formatted(port, database, USER, password, tls());
    }

    /** The same database on this server or its standby, whichever accepts writes. */
    public String urlWith(PostgresServer standby, String url) {
        return url.replace("127.0.0.1:" + port, "127.0.0.1:%d,127.0.0.1:%d".formatted(port, standby.port))
                + "&targetServerType=primary";
    }

    /** The same database on another server, for example its standby. */
    public String urlOn(PostgresServer other, String url) {
        return url.replace("127.0.0.1:" + port, "127.0.0.1:" + other.port);
    }

    private String tls() {
        return certificate
                .map(made -> "&sslmode=verify-full&sslrootcert=" + made.authority())
                .orElse("");
    }

    /** The authority that signed the server's certificate. */
    public Path authority() {
        return certificate.orElseThrow().authority();
    }

    public int port() {
        return port;
    }

    /** A new, empty database. */
    public String newDatabase() {
        var name = "test_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name);
        return url(name);
    }

    /** A copy of another database, which must have no connections. */
    public String newDatabaseLike(String template) {
        var name = "test_" + DATABASES.incrementAndGet();
        var like = template.substring(template.lastIndexOf('/') + 1, template.indexOf('?'));
        execute("CREATE DATABASE %s TEMPLATE %s".formatted(name, like));
        return url(name);
    }

    public static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection("jdbc:" + url);
    }

    /** Runs a statement as the superuser. */
    public void execute(String sql) {
        try (var connection = connect(url());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql + " failed", e);
        }
    }

    private boolean isTrue(String sql) {
        try (var connection = connect(url());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            return rows.next() && rows.getBoolean(1);
        } catch (SQLException e) {
            return false; // not up yet
        }
    }

    /** Restarts the server so that it also listens on another address of this machine, for clients of {@code network}. */
    public void listenAlsoOn(String address, String network) {
        try {
            append("postgresql.conf", "listen_addresses = '127.0.0.1,%s'\n".formatted(address));
            append("pg_hba.conf", "host all all %s scram-sha-256\n".formatted(network));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        stop();
        start();
    }

    /** Starts the server on its previous port, unless it runs. */
    public void start() {
        if (isRunning()) return;
        try {
            var process = programs.command("postgres", "-D", data.toString(), "-p", Integer.toString(port))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
            server = Optional.of(process);
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(SOON)
                    .until(() -> !process.isAlive() || isTrue("SELECT true"));
            if (!process.isAlive()) throw new AssertionError("PostgreSQL did not start:\n" + Files.readString(log()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isRunning() {
        return server.filter(Process::isAlive).isPresent();
    }

    private Path log() {
        return root.resolve(data.getFileName() + ".log");
    }

    /** Crashes the server: kills the postmaster and all of its children at once. */
    public void kill() {
        var process = server.orElseThrow();
        var children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        await().pollInterval(Duration.ofMillis(5))
                .atMost(SOON)
                .until(() -> !process.isAlive() && children.stream().noneMatch(ProcessHandle::isAlive));
        server = Optional.empty();
    }

    /** Stops in an orderly way, without waiting for connected clients. */
    public void stop() {
        if (!isRunning()) return;
        var process = server.orElseThrow();
        try {
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while PostgreSQL stopped", e);
        }
        server = Optional.empty();
    }

    /** A synchronous standby: later commits wait for it. */
    public PostgresServer standby() {
        var name = "standby" + (standbys.size() + 1);
        var copy = root.resolve(name);
        var source = "host=127.0.0.1 port=%d user=%s password=%s".formatted(port, USER, password);
        programs.run("pg_basebackup", "--dbname=" + source, "--pgdata=" + copy, "--checkpoint=fast", "--no-sync");
        var standby = new PostgresServer(programs, root, copy, password, certificate, Optional.empty());
        try {
            standby.append(
                    "postgresql.auto.conf", "primary_conninfo = '%s application_name=%s'\n".formatted(source, name));
            programs.own(Files.writeString(copy.resolve("standby.signal"), ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        standby.start();
        standbys.add(standby);
        execute("ALTER SYSTEM SET synchronous_standby_names = '%s'".formatted(name));
        execute("SELECT pg_reload_conf()");
        await().pollInterval(Duration.ofMillis(20))
                .atMost(SOON)
                .until(() -> isTrue("SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'"));
        return standby;
    }

    /** Promotes a standby, so that it accepts writes. */
    public void promote() {
        execute("SELECT pg_promote()");
        await().pollInterval(Duration.ofMillis(20)).atMost(SOON).until(() -> isTrue("SELECT NOT pg_is_in_recovery()"));
    }

    @Override
    public void close() {
        standbys.forEach(PostgresServer::close);
        if (isRunning()) kill(); // its files are deleted, so no orderly stop is needed
        TAKEN.remove(port);
        try {
            if (guard.isPresent())
                guard.get().getOutputStream().close(); // the guard then removes the files, in the background
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
