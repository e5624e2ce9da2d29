package dev.roost.conformance.testing;

import dev.roost.conformance.model.JsonObjects;
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

/** Calls a daemon in another process as the operator, without a process for each call. */
record OperatorSocketClient(Path socket) {

    JsonNode ask(String method, Object... params) {
        var all = JsonObjects.with(JsonObjects.object(params), "caller", "cli:person", "operator", true);
        var request = JsonObjects.object("jsonrpc", "2.0", "id", 1, "method", method, "params", all);
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            var answer = JsonObjects.MAPPER.readTree(
                    new Scanner(Channels.newInputStream(channel), StandardCharsets.UTF_8).nextLine());
            if (answer.has("error")) throw new IllegalStateException(method + ": " + answer.get("error"));
            return answer.get("result");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
