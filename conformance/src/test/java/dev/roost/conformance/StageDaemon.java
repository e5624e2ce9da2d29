package dev.roost.conformance;

import dev.roost.sessions.WakePolicy;
import dev.roost.supervisor.Home;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;

/** A daemon in a process of its own, which can be killed. Its arguments: the home, and the file of its {@link SharedClock}. */
final class StageDaemon {

    private StageDaemon() {}

    public static void main(String[] arguments) throws Exception {
        var home = Home.open(Path.of(arguments[0]));
        try (var _ = hold(home);
                var _ = ParentStage.serve(
                        home.root(),
                        ParentHarness.CLAUDE_CODE,
                        WakePolicy.DEFAULT,
                        new SharedClock(Path.of(arguments[1])))) {
            System.out.println(ProcessHandle.current().pid());
            new CountDownLatch(1).await();
        }
    }

    /** As the real one does, so that no command starts another beside it. */
    private static FileChannel hold(Home home) throws IOException {
        var lock = FileChannel.open(home.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) throw new IllegalStateException("another daemon has come to " + home.root());
        return lock;
    }
}
