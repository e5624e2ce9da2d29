package dev.roost.cli.bridge;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.HomePath;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The commands that harnesses and programs call many times an hour: {@code roost hook HARNESS EVENT}; {@code roost mcp}, which
 * serves the tools; and {@code roost socket}, which connects standard input and output to the daemon. Loads no parser and no
 * JSON library, to start fast.
 */
public final class BridgeMain {

    private BridgeMain() {}

    private static final String USAGE =
            "Usage: roost hook HARNESS EVENT, roost mcp [--dialect D] [--harness H], or roost socket.";

    public static void main(String[] words) throws IOException, InterruptedException {
        if (words.length == 2 && List.of("-h", "--help").contains(words[1])) {
            System.out.println(USAGE);
            System.exit(0);
        }
        System.exit(
                switch (words[0]) {
                    case "hook" ->
                        words.length == 3
                                ? new HookBridge(words[1], words[2]).run()
                                : Math.min(1, usage()); // harnesses take 2 as "block"
                    case "mcp" ->
                        McpBridge.of(List.of(words).subList(1, words.length)).run();
                    case "socket" -> words.length == 1 ? socket() : usage();
                    default -> usage();
                });
    }

    static int usage() {
        System.err.println("roost: " + USAGE);
        return CliError.USAGE;
    }

    static SocketChannel connect() throws IOException {
        var home = HomePath.find(System.getenv()).orElseThrow(() -> new IOException("HOME is not set"));
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    static void send(SocketChannel socket, String line) throws IOException {
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) socket.write(bytes);
    }

    /** Copies lines of docs/protocol.md to the daemon and its responses back, until either side closes. */
    private static int socket() throws IOException {
        SocketChannel channel;
        try {
            channel = connect();
        } catch (IOException e) {
            System.err.println("roost: No daemon runs for this home.\n       `roost daemon start` starts one.");
            return CliError.NO_DAEMON;
        }
        try (channel) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    System.in.transferTo(Channels.newOutputStream(channel));
                    channel.shutdownOutput();
                } catch (IOException e) {
                    // the other direction fails too
                }
            });
            Channels.newInputStream(channel).transferTo(System.out);
            System.out.flush();
        }
        return 0;
    }
}
