package dev.roost.conformance;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;
import tools.jackson.databind.JsonNode;

/** Asks a daemon in another process as the operator's commands do, without a program for each question. */
record DaemonLine(Path socket) {

    JsonNode ask(String method, Object... params) {
        var all = Json.with(Json.object(params), "caller", "cli:person", "operator", true);
        var request = Json.object("jsonrpc", "2.0", "id", 1, "method", method, "params", all);
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            var answer = Json.MAPPER.readTree(
                    new Scanner(Channels.newInputStream(channel), StandardCharsets.UTF_8).nextLine());
            if (answer.has("error")) throw new IllegalStateException(method + ": " + answer.get("error"));
            return answer.get("result");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
