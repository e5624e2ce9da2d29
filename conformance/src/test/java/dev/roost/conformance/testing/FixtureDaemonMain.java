package dev.roost.conformance.testing;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.config.WakePolicy;
import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.daemon.Daemon;
import dev.roost.daemon.config.DaemonSettings;
import dev.roost.daemon.config.HttpSetting;
import dev.roost.home.Home;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A daemon process that can be killed. Its arguments: the home, and the file of its {@link CrossProcessClock}. */
final class FixtureDaemonMain {

    private FixtureDaemonMain() {}

    public static void main(String[] arguments) throws Exception {
        var home = Home.open(Path.of(arguments[0]));
        try (var _ = hold(home);
                var _ = serve(
                        home.root(),
                        OwnerHarness.CLAUDE_CODE,
                        WakePolicy.DEFAULT,
                        new CrossProcessClock(Path.of(arguments[1])))) {
            System.out.println(ProcessHandle.current().pid());
            new CountDownLatch(1).await();
        }
    }

    /** A daemon for sessions of that harness. */
    static Daemon serve(Path home, OwnerHarness harness, WakePolicy wakes, Clock clock) {
        var plain = new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT);
        var profile = new AgentProfile(
                "worker",
                harness.cli().name(),
                List.of(),
                Optional.empty(),
                List.of(),
                Permissions.ALL,
                Optional.empty(),
                Map.of());
        var config = plain.with(
                        Map.of("worker", new EngineConfig.NamedAgent(profile, Budget.ofOutput(plain.maxOutput()))))
                .withDefaultAgent(Optional.of("worker"))
                .with(wakes);
        return Daemon.open(
                Home.open(home),
                config,
                new DaemonSettings(new HttpSetting.Disabled(), Optional.of(List.of("worker", "command", "claude"))),
                clock,
                "test",
                () -> {});
    }

    /** Takes the lock as a real daemon does, so that no command starts another one. */
    private static FileChannel hold(Home home) throws IOException {
        var lock = FileChannel.open(home.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) throw new IllegalStateException("another daemon holds the lock of " + home.root());
        return lock;
    }
}
