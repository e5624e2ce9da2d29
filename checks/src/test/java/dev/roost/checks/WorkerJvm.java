package dev.roost.checks;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM that runs classes of one module, one at a time. Its output and that of its children goes to a file. */
final class WorkerJvm {

    private static final int SOON_MS = 60_000;
    private static final int POLL_MS = 200;
    private static final int CLEARING_MS = 5_000;
    private static final double TICKS_A_SECOND = 100;

    private final CheckEntry.Module module;
    private final boolean portable;
    private final Process process;
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final Path log;

    private WorkerJvm(CheckEntry entry, Process process, Socket socket, DataInputStream in, Path log)
            throws IOException {
        this.module = entry.module();
        this.portable = entry.portable();
        this.process = process;
        this.socket = socket;
        this.in = in;
        this.out = new DataOutputStream(socket.getOutputStream());
        this.log = log;
    }

    /** Starts a JVM for that entry and others of its kind. */
    static WorkerJvm start(CheckEntry entry, WorkerSettings settings, Path log) throws IOException {
        try (var server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            var secret = UUID.randomUUID().toString();
            var command = new ArrayList<>(settings.jvm(entry.module()));
            command.addAll(List.of(CheckWorker.class.getName(), "" + server.getLocalPort(), secret));
            command.add(entry.module().classPath());
            var builder = new ProcessBuilder(command)
                    .directory(entry.module().directory().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            if (entry.portable()) builder.environment().put("ROOST_PORTABLE", "1");
            return connect(entry, builder.start(), server, secret, log);
        }
    }

    private static WorkerJvm connect(CheckEntry entry, Process process, ServerSocket server, String secret, Path log)
            throws IOException {
        server.setSoTimeout(POLL_MS);
        while (process.isAlive()) {
            try {
                var socket = server.accept();
                var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                socket.setSoTimeout(SOON_MS);
                if (in.readUTF().equals(secret)) return new WorkerJvm(entry, process, socket, in, log);
                socket.close(); // another process connected
            } catch (SocketTimeoutException e) {
                // it is still starting
            }
        }
        throw new IOException("the JVM for %s ended before its first class; its output:%n%s"
                .formatted(entry.title(), Files.readString(log)));
    }

    boolean suits(CheckEntry entry) {
        return entry.module().equals(module) && entry.portable() == portable;
    }

    /** Whether it can run another class. */
    boolean isAlive() {
        return !socket.isClosed() && process.isAlive();
    }

    /** Runs the class. A class that does not end in time, or ends this JVM, has one more failure. */
    ClassResult run(CheckEntry entry, Duration limit, Path output) throws IOException {
        long began = System.nanoTime();
        double cpu = cpuSeconds();
        long printed = Files.size(log);
        var cases = new ArrayList<CaseResult>();
        var running = new ArrayList<String>();
        try {
            out.writeUTF(entry.className());
            out.writeBoolean(entry.portable());
            out.flush();
            answers(began + limit.toNanos(), cases, running);
        } catch (SocketTimeoutException e) {
            cases.add(failure(
                    running,
                    "did not end within " + limit.toSeconds() + " s; the dump of its threads is in its output"));
            dumpThreads();
            kill();
        } catch (IOException e) {
            kill();
            cases.add(failure(running, "its JVM ended, with exit code " + process.exitValue()));
        }
        double spent = isAlive() ? cpuSeconds() - cpu : 0;
        double seconds = (System.nanoTime() - began) / 1e9;
        return new ClassResult(entry, cases, seconds, spent, copyFrom(printed, output));
    }

    private void answers(long end, List<CaseResult> cases, List<String> running) throws IOException {
        while (true) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) throw new SocketTimeoutException();
            socket.setSoTimeout(Math.toIntExact(left));
            switch (in.readByte()) {
                case CheckWorker.STARTED -> running.add(in.readUTF());
                case CheckWorker.CASE -> {
                    var one = CaseResult.read(in);
                    running.remove(one.name());
                    cases.add(one);
                }
                default -> {
                    return;
                }
            }
        }
    }

    private static CaseResult failure(List<String> running, String text) {
        var name = running.isEmpty() ? "outside of its tests" : String.join(", ", running);
        return new CaseResult(CaseResult.Ending.FAILED, name, 0, text);
    }

    private void dumpThreads() {
        try {
            new ProcessBuilder("kill", "-QUIT", "" + process.pid()).start().waitFor();
            if (process.waitFor(2, TimeUnit.SECONDS)) return; // gives the test time to write its thread dump
        } catch (IOException e) {
            // then without
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Asks it to end, which takes as long as its shutdown hooks. */
    void end() throws IOException {
        socket.close();
    }

    /** Waits for its end; kills it after a timeout. */
    void await() {
        try {
            if (!process.waitFor(SOON_MS, TimeUnit.MILLISECONDS)) kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for its children to clean up and end, then kills them. */
    void kill() {
        var children = process.descendants().toList();
        process.destroyForcibly();
        try {
            socket.close();
            process.waitFor();
            var ended = children.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(ended).get(CLEARING_MS, TimeUnit.MILLISECONDS);
        } catch (IOException | ExecutionException | TimeoutException e) {
            // the remaining ones are killed below
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }

    /** Copies the output since the last class to a file of its own. */
    private Optional<Path> copyFrom(long begin, Path output) throws IOException {
        try (var all = new RandomAccessFile(log.toFile(), "r")) {
            if (all.length() <= begin) return Optional.empty();
            all.seek(begin);
            try (var to = Files.newOutputStream(output)) {
                var block = new byte[1 << 16];
                for (int n = all.read(block); n > 0; n = all.read(block)) to.write(block, 0, n);
            }
        }
        return Optional.of(output);
    }

    /** The CPU time of the JVM and of its ended children, as Linux reports it; otherwise 0. */
    private double cpuSeconds() {
        try {
            var stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = 11; i <= 14; i++) ticks += Long.parseLong(fields[i]);
            return ticks / TICKS_A_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }
}
