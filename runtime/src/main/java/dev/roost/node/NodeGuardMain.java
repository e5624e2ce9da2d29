package dev.roost.node;

import dev.roost.base.Clock;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.os.SystemClock;
import dev.roost.process.Cgroups;
import dev.roost.process.PerchLauncher;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The guard script runs this when the daemon was away for too long. It kills every agent of the home given as argument, and
 * writes a line for each attempt to {@code logs/guard.log}. Exits with 0 if there is nothing more to do; otherwise the script
 * runs it again.
 */
final class NodeGuardMain {

    static final int DONE = 0;
    static final int AGAIN = 1;
    static final int DAEMON_IS_BACK = 75;

    private static final String WHY = "the daemon of this node was away for longer than the cluster's timeout";

    private NodeGuardMain() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(fence(new Home(Path.of(arguments[0])), new SystemClock()));
    }

    static int fence(Home home, Clock clock) throws IOException {
        var lock = NodeGuardLock.take(home);
        if (lock.isEmpty()) return DAEMON_IS_BACK; // the daemon's own guard kills this one; until then this one stays
        try (var _ = lock.get()) {
            if (isServed(home)) {
                log(
                        home,
                        clock,
                        List.of("no attempt was ended: a daemon that is not in a cluster serves this home now"));
                return DONE;
            }
            var outcomes = new AttemptFence(home, new PerchLauncher(home, Cgroups.none()), clock)
                    .fenceAll((_, _) -> true, WHY);
            log(home, clock, outcomes.stream().map(NodeGuardMain::line).toList());
            return outcomes.stream().allMatch(AttemptFence.FenceResult::isDone) ? DONE : AGAIN;
        }
    }

    private static boolean isServed(Home home) {
        try (var _ = SocketChannel.open(UnixDomainSocketAddress.of(home.socket()))) {
            return true;
        } catch (IOException e) {
            return false; // no socket, or no process listens on it
        }
    }

    private static String line(AttemptFence.FenceResult outcome) {
        var attempt = outcome.run() + "/" + outcome.attempt();
        if (outcome.trouble().isPresent())
            return "%s could not be ended and will be retried: %s"
                    .formatted(attempt, outcome.trouble().get());
        if (!outcome.left().isEmpty())
            return "%s could not be killed: %s".formatted(attempt, String.join("; ", outcome.left()));
        if (outcome.exited()) return "%s had already ended".formatted(attempt);
        return "%s ended: %s".formatted(attempt, WHY);
    }

    private static void log(Home home, Clock clock, List<String> lines) {
        var text = new StringBuilder();
        for (var line : lines) text.append(clock.now()).append(' ').append(line).append('\n');
        try (var channel = PrivateFiles.open(
                home.logs().resolve("guard.log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            System.err.print(text); // the kills are done; the fence marks record them too
        }
    }
}
