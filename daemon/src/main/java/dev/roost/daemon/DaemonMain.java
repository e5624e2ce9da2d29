package dev.roost.daemon;

import dev.roost.base.Clock;
import dev.roost.base.DiskErrors;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.config.EngineConfig;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.ConfigFile;
import dev.roost.daemon.config.DaemonSettings;
import dev.roost.home.Home;
import dev.roost.home.HomeLayoutMigration;
import dev.roost.home.HomeLock;
import dev.roost.os.SessionDetach;
import dev.roost.os.SystemClock;
import dev.roost.process.Cgroups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Serves the home given as argument until it is asked to stop. It writes one line to standard output, which the starting
 * process reads: {@code {"pid": …}} once it serves, or {@code {"error": …}} if it cannot.
 */
public final class DaemonMain {

    private static final System.Logger LOG = System.getLogger(DaemonMain.class.getName());
    private static final int REFUSED = 5;
    private static final int BROKEN = 4;

    private DaemonMain() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 1 && arguments[1].equals("--detach")) SessionDetach.fromSession();
        SessionDetach.fromIgnoredSignals();
        System.exit(serve(Path.of(arguments[0]), System.getProperty("roost.version", "unknown")));
    }

    private static int serve(Path root, String version) throws InterruptedException {
        try {
            var config = ConfigFile.load(System.getenv());
            var settings = ConfigFile.surfaces(System.getenv());
            var home = Home.open(root);
            try (var _ = HomeLock.take(home)) {
                home.unpackLibraries();
                DaemonLog.open(home, settings.logs());
                HomeLayoutMigration.migrate(home);
                settings.remarks().forEach(remark -> LOG.log(System.Logger.Level.WARNING, remark));
                Cgroups.moveToWhereTheyWork();
                serve(home, config, settings, version);
            }
            return 0;
        } catch (RoostError e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve {0}: {1}", root, e.sentence());
            return printError(e);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve " + root, e);
            return printError(DiskErrors.unusable(root.toString(), e));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve " + root, e);
            return printError(ErrorCode.INTERNAL.error("Roost made a mistake: %s.".formatted(e)));
        }
    }

    private static int printError(RoostError error) {
        var json = RunJson.MAPPER.createObjectNode();
        json.set("error", RunJson.error(error));
        System.out.println(json);
        return ErrorCode.of(error) == ErrorCode.DAEMON_RUNNING ? REFUSED : BROKEN;
    }

    private static void serve(Home home, EngineConfig config, DaemonSettings settings, String version)
            throws InterruptedException {
        var systemClock = new SystemClock();
        var faults = FaultFile.of(
                System.getenv(), systemClock); // before the shutdown hook, which waits until serving has ended
        var stop = new CountDownLatch(1);
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            stop.countDown();
            try {
                stopped.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        Clock clock = faults.map(FaultFile::clock).orElse(systemClock);
        var effectiveConfig = faults.map(config::with).orElse(config);
        try (var daemon = Daemon.open(home, effectiveConfig, settings, clock, version, stop::countDown)) {
            var service = daemon.service();
            LOG.log(System.Logger.Level.INFO, "serving {0} with {1} live runs", home.root(), service.liveCount());
            System.out.println("{\"pid\":%d}".formatted(ProcessHandle.current().pid()));
            stop.await();
            LOG.log(System.Logger.Level.INFO, "stopping; {0} live runs continue without a daemon", service.liveCount());
        } finally {
            stopped.countDown();
        }
    }
}
