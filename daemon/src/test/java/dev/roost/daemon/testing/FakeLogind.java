package dev.roost.daemon.testing;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** Speaks on a bus as logind does: owns its name, tells its limit, and signals sleep. Just enough of the bus's protocol. */
public final class FakeLogind implements AutoCloseable {

    private static final String NAME = "org.freedesktop.login1";
    private static final String PATH = "/org/freedesktop/login1";
    private static final int CALL = 1;
    private static final int REPLY = 2;
    private static final int ERROR = 3;
    private static final int SIGNAL = 4;

    private final SocketChannel channel;
    private final long limitMicros;
    private int serial;

    /** Another sender on the bus, with only the unique name from the bus. */
    public static FakeLogind otherSender(Path bus) throws IOException {
        return new FakeLogind(bus, 0);
    }

    public static FakeLogind on(Path bus, long limitMicros) throws IOException {
        var logind = new FakeLogind(bus, limitMicros);
        logind.call("RequestName", "su", body -> {
            text(body, NAME);
            number(body, 0);
        });
        Thread.ofVirtual().start(logind::serve);
        return logind;
    }

    private FakeLogind(Path bus, long limitMicros) throws IOException {
        this.limitMicros = limitMicros;
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(bus));
        var uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
        write("\0AUTH EXTERNAL " + HexFormat.of().formatHex(uid.getBytes(StandardCharsets.US_ASCII)) + "\r\n");
        var answer = new StringBuilder();
        while (answer.indexOf("\r\n") < 0) answer.append((char) read(1).get());
        if (!answer.toString().startsWith("OK ")) throw new IOException("the bus says " + answer);
        write("BEGIN\r\n");
        call("Hello", "", _ -> {});
    }

    public void prepareForSleep(boolean begins) throws IOException {
        var fields = Map.of(1, PATH, 2, NAME + ".Manager", 3, "PrepareForSleep", 8, "b");
        send(SIGNAL, fields, body -> number(body, begins ? 1 : 0));
    }

    private void call(String method, String signature, Consumer<ByteBuffer> arguments) throws IOException {
        var fields = new HashMap<Integer, Object>(
                Map.of(1, "/org/freedesktop/DBus", 2, "org.freedesktop.DBus", 3, method, 6, "org.freedesktop.DBus"));
        if (!signature.isEmpty()) fields.put(8, signature);
        int sent = send(CALL, fields, arguments);
        for (var message = receive(); ; message = receive()) {
            if (message.type == ERROR) throw new IOException(method + " was refused");
            if (message.type == REPLY && Objects.equals(message.fields.get(5), sent)) return;
        }
    }

    private void serve() {
        try {
            for (var message = receive(); ; message = receive()) if (message.type == CALL) answer(message);
        } catch (IOException e) {
            // the bus or the test is over
        }
    }

    private void answer(Message call) throws IOException {
        var fields = new HashMap<Integer, Object>(Map.of(5, call.serial, 6, call.fields.get(7)));
        if (!"Get".equals(call.fields.get(3))) {
            fields.put(4, "org.freedesktop.DBus.Error.UnknownMethod");
            send(ERROR, fields, _ -> {});
            return;
        }
        fields.put(8, "v");
        send(REPLY, fields, body -> {
            signature(body, "t");
            align(body, 8);
            body.putLong(limitMicros);
        });
    }

    private record Message(int type, int serial, Map<Integer, Object> fields) {}

    private synchronized int send(int type, Map<Integer, ?> fields, Consumer<ByteBuffer> content) throws IOException {
        var body = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        content.accept(body);
        var message = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        message.put((byte) 'l').put((byte) type).put((byte) 0).put((byte) 1);
        message.putInt(body.position()).putInt(++serial).putInt(0);
        fields.forEach((code, value) -> {
            align(message, 8);
            message.put(code.byteValue());
            var kind = code == 1 ? "o" : code == 5 ? "u" : code == 8 ? "g" : "s";
            signature(message, kind);
            if (kind.equals("u")) number(message, (Integer) value);
            else if (kind.equals("g")) signature(message, (String) value);
            else text(message, (String) value);
        });
        message.putInt(12, message.position() - 16);
        align(message, 8);
        message.put(body.flip()).flip();
        while (message.hasRemaining()) channel.write(message);
        return serial;
    }

    private Message receive() throws IOException {
        var head = read(16);
        int length = head.getInt(4);
        int fieldBytes = head.getInt(12);
        var rest = read((fieldBytes + 7) / 8 * 8 + length);
        var fields = new HashMap<Integer, Object>();
        while (rest.position() < fieldBytes) {
            rest.position((rest.position() + 7) / 8 * 8);
            int code = rest.get();
            var kind = shortText(rest);
            if (kind.equals("g")) fields.put(code, shortText(rest));
            else {
                rest.position((rest.position() + 3) / 4 * 4);
                int value = rest.getInt();
                if (kind.equals("u")) fields.put(code, value);
                else fields.put(code, chars(rest, value));
            }
        }
        return new Message(head.get(1), head.getInt(8), fields);
    }

    private static String shortText(ByteBuffer from) {
        return chars(from, from.get());
    }

    private static String chars(ByteBuffer from, int length) {
        var bytes = new byte[length];
        from.get(bytes).get();
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void align(ByteBuffer to, int size) {
        while (to.position() % size != 0) to.put((byte) 0);
    }

    private static void number(ByteBuffer to, int value) {
        align(to, 4);
        to.putInt(value);
    }

    private static void text(ByteBuffer to, String value) {
        number(to, value.length());
        to.put(value.getBytes(StandardCharsets.US_ASCII)).put((byte) 0);
    }

    private static void signature(ByteBuffer to, String value) {
        to.put((byte) value.length())
                .put(value.getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0);
    }

    private void write(String text) throws IOException {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) channel.write(bytes);
    }

    private ByteBuffer read(int length) throws IOException {
        var bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) if (channel.read(bytes) < 0) throw new IOException("the bus has gone");
        return bytes.flip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
