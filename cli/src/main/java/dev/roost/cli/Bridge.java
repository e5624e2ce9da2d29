package dev.roost.cli;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * The hot paths that harnesses and programs call many times an hour: {@code roost hook HARNESS EVENT}, and {@code roost
 * socket}, which carries bytes between standard input and output and the daemon. Nothing is loaded that is not needed: no
 * parser, no JSON library.
 */
final class Bridge {

    private static final int LONGEST_INPUT = 1 << 20;

    private Bridge() {}

    public static void main(String[] words) throws IOException {
        System.exit(
                switch (words[0] + words.length) {
                    case "hook3" -> hook(words[1], words[2]);
                    case "socket1" -> socket();
                    default -> usage();
                });
    }

    private static int usage() {
        System.err.println("roost: Say either: roost hook HARNESS EVENT, or: roost socket.");
        return CliError.USAGE;
    }

    private static SocketChannel connect() throws IOException {
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(HomePath.of(System.getenv()).resolve("roost.sock")));
        return channel;
    }

    /** Lines of docs/protocol.md from standard input to the daemon, its answers back, until either side ends. */
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
                    // the other direction notices
                }
            });
            Channels.newInputStream(channel).transferTo(System.out);
            System.out.flush();
        }
        return 0;
    }

    /** A hook must never hold up or break the session it is called from: without a daemon it says nothing. */
    private static int hook(String harness, String event) throws IOException {
        var input = new String(System.in.readNBytes(LONGEST_INPUT), StandardCharsets.UTF_8);
        var request = "{\"id\":1,\"method\":\"hook\",\"params\":{\"harness\":%s,\"event\":%s,\"input\":%s}}\n"
                .formatted(quoted(harness), quoted(event), quoted(input));
        try (var socket = connect()) {
            var bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) socket.write(bytes);
            readLine(socket);
        } catch (IOException e) {
            // no daemon
        }
        return 0;
    }

    private static void readLine(SocketChannel socket) throws IOException {
        var buffer = ByteBuffer.allocate(8192);
        while (socket.read(buffer.clear()) > 0) {
            if (buffer.get(buffer.position() - 1) == '\n') return;
        }
    }

    /** A JSON string. */
    static String quoted(String text) {
        var json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') json.append('\\').append(c);
            else if (c < ' ')
                json.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            else json.append(c);
        }
        return json.append('"').toString();
    }
}
