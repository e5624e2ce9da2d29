package dev.roost.daemon.socket;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.api.LineConnection;
import dev.roost.daemon.api.RunOperations;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/** Listens on the home's Unix socket. Only the home's user and root may connect. */
public final class SocketServer implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SocketServer.class.getName());

    private final RpcMethods methods;
    private final Map<String, LineConnection.Upgrade> upgrades;
    private final ServerSocketChannel server;
    private final Path path;
    private final String user;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private SocketServer(
            RpcMethods methods, Map<String, LineConnection.Upgrade> upgrades, ServerSocketChannel server, Path path)
            throws IOException {
        this.methods = methods;
        this.upgrades = upgrades;
        this.server = server;
        this.path = path;
        this.user = Files.getOwner(path.getParent()).getName();
    }

    /** Opens the socket, and replaces a stale one: the caller holds the home's lock, so no other daemon listens on it. */
    public static SocketServer open(
            RoostService service, RunOperations runs, DaemonInfo daemon, Map<String, LineConnection.Upgrade> upgrades) {
        Path path = daemon.socket();
        try {
            Files.deleteIfExists(path);
            var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(path), 256);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            var socket = new SocketServer(new RpcMethods(service, runs, daemon), upgrades, server, path);
            socket.threads.execute(socket::accept);
            return socket;
        } catch (IOException e) {
            throw ErrorCode.SOCKET_FAILED.error("The socket %s cannot be opened: %s.".formatted(path, e.getMessage()));
        }
    }

    private void accept() {
        while (true) {
            try {
                var channel = server.accept();
                threads.execute(() -> serve(channel));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "accept failed", e);
                LockSupport.parkNanos(100_000_000); // out of file descriptors, for example: wait until some are free
            }
        }
    }

    private void serve(SocketChannel channel) {
        open.add(channel);
        try (channel) {
            var peer =
                    channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
            if (peer.equals(user) || peer.equals("root"))
                new SocketConnection(channel, methods, upgrades, threads).serve();
            else LOG.log(System.Logger.Level.WARNING, "refused a connection of user {0}", peer);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client disconnected", e);
        } finally {
            open.remove(channel);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(path);
            for (var channel : open) channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "closing the socket", e);
        }
        threads.shutdownNow();
    }
}
