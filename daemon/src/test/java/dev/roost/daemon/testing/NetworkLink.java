package dev.roost.daemon.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A network of its own for one process, and the wire between it and this machine: to be cut and mended. Needs root. */
public final class NetworkLink implements AutoCloseable {

    private final String name;
    private final String here;
    private final String network;

    public NetworkLink() throws IOException {
        long pid = ProcessHandle.current().pid();
        this.name = "roost" + pid;
        this.here = "rst" + pid;
        this.network = "10.231." + (pid % 250 + 1);
        ip("netns", "add", name);
        try {
            ip("link", "add", here, "type", "veth", "peer", "name", "out", "netns", name);
            ip("addr", "add", address() + "/30", "dev", here);
            ip("link", "set", here, "up");
            ip("-n", name, "addr", "add", network + ".2/30", "dev", "out");
            ip("-n", name, "link", "set", "out", "up");
            ip("-n", name, "link", "set", "lo", "up");
        } catch (IOException | AssertionError e) {
            close();
            throw e;
        }
    }

    /** Of this machine, as it is seen from the other end. */
    public String address() {
        return network + ".1";
    }

    public String range() {
        return network + ".0/30";
    }

    /** Words before a command that is to run at the other end. */
    public List<String> prefix() {
        return List.of("nsenter", "--net=/run/netns/" + name);
    }

    public void cut() throws IOException {
        ip("link", "set", here, "down");
    }

    public void mend() throws IOException {
        ip("link", "set", here, "up");
    }

    private static void ip(String... words) throws IOException {
        var command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0)
                throw new AssertionError("%s failed, which needs root and iproute2: %s".formatted(command, said));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        ip("netns", "del", name); // and the wire with it
    }
}
