package dev.roost.checks;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.TagFilter.excludeTags;
import static org.junit.platform.launcher.TagFilter.includeTags;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The main of a JVM that runs test classes of one module one after the other, as requested through a socket. */
final class CheckWorker {

    /** The kinds of messages in an answer. */
    static final int STARTED = 0;

    static final int CASE = 1;
    static final int END = 2;

    private CheckWorker() {}

    /** The arguments are the port, a secret that identifies this worker, and the class path of the tests. */
    public static void main(String[] arguments) throws IOException {
        System.setProperty("java.class.path", arguments[2]); // without this program, as under Surefire
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
                var in = new DataInputStream(socket.getInputStream());
                var out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
            out.writeUTF(arguments[1]);
            out.flush();
            while (true) run(in.readUTF(), in.readBoolean(), out);
        } catch (EOFException e) {
            System.exit(0); // even if a test has left a thread
        }
    }

    private static void run(String className, boolean portable, DataOutputStream out) throws IOException {
        var report = new CheckReport(out);
        try {
            LauncherFactory.create().execute(request(className, portable), report);
        } catch (Throwable e) { // a class that cannot be loaded must not end the others
            report.failed(className, e);
        }
        System.out.flush();
        synchronized (out) {
            out.writeByte(END);
            out.flush();
        }
    }

    private static LauncherDiscoveryRequest request(String className, boolean portable) {
        PostDiscoveryFilter[] filters = portable
                ? new PostDiscoveryFilter[] {includeTags("portable"), excludeTags("linux")}
                : new PostDiscoveryFilter[] {excludeTags("elsewhere")};
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(className))
                .filters(filters)
                .build();
    }
}
