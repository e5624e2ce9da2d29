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
 * What a guard runs when its daemon was away for too long: ends every agent of the home given as argument, and writes a line
 * for each to {@code logs/guard.log}. Exits with 0 if there is nothing more to do, otherwise it is run again.
 */
final class NodeGuardMain {

    static final int DONE = 0;
    static final int AGAIN = 1;
    static final int DAEMON_IS_BACK = 75;

    private static final String WHY = "the daemon of this node was away for longer than its cluster waits";

    private NodeGuardMain() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(fence(new Home(Path.of(arguments[0])), new SystemClock()));
    }

    static int fence(Home home, Clock clock) throws IOException {
        var lock = NodeGuardLock.take(home);
        if (lock.isEmpty()) return DAEMON_IS_BACK; // its own guard ends ours; until then ours stays
        try (var _ = lock.get()) {
            if (isServed(home)) {
                log(home, clock, List.of("left alone: a daemon that is in no cluster serves this home now"));
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
            return false; // no socket, or nobody behind it
        }
    }

    private static String line(AttemptFence.FenceResult outcome) {
        var attempt = outcome.run() + "/" + outcome.attempt();
        if (outcome.trouble().isPresent())
            return "%s will be tried again: %s"
                    .formatted(attempt, outcome.trouble().get());
        if (!outcome.left().isEmpty())
            return "%s could not be killed: %s".formatted(attempt, String.join("; ", outcome.left()));
        if (outcome.exited()) return "%s had ended by itself".formatted(attempt);
        return "%s ended: %s".formatted(attempt, WHY);
    }

    private static void log(Home home, Clock clock, List<String> lines) {
        var text = new StringBuilder();
        for (var line : lines) text.append(clock.now()).append(' ').append(line).append('\n');
        try (var channel = PrivateFiles.open(
                home.logs().resolve("guard.log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            System.err.print(text); // what is done is done; the marks say it too
        }
    }
}
