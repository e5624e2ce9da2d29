package dev.roost.daemon;

import dev.roost.daemon.config.ConfigFile;
import dev.roost.daemon.config.SurfaceSettings;
import dev.roost.daemon.wire.Json;
import dev.roost.house.Config;
import dev.roost.run.Broken;
import dev.roost.run.Clock;
import dev.roost.run.DiskTrouble;
import dev.roost.run.RoostError;
import dev.roost.supervisor.Cgroups;
import dev.roost.supervisor.Detach;
import dev.roost.supervisor.FaultFile;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.HomeLock;
import dev.roost.supervisor.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Serves the home given as argument until it is told to stop. Its one line on standard output is for whoever started it:
 * {@code {"pid": …}} once it serves, or {@code {"error": …}} if it cannot.
 */
public final class Main {

    private static final System.Logger LOG = System.getLogger(Main.class.getName());
    private static final int REFUSED = 5;
    private static final int BROKEN = 4;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 1 && arguments[1].equals("--detach")) Detach.fromSession();
        Detach.fromIgnoredSignals();
        System.exit(serve(Path.of(arguments[0]), System.getProperty("roost.version", "unknown")));
    }

    private static int serve(Path root, String version) throws InterruptedException {
        try {
            var config = ConfigFile.load(System.getenv());
            var surfaces = ConfigFile.surfaces(System.getenv());
            var home = Home.open(root);
            try (var _ = HomeLock.take(home)) {
                home.keepLibraries();
                DaemonLog.open(home, surfaces.logs());
                surfaces.remarks().forEach(remark -> LOG.log(System.Logger.Level.WARNING, remark));
                Cgroups.moveToWhereTheyWork();
                serve(home, config, surfaces, version);
            }
            return 0;
        } catch (RoostError e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve {0}: {1}", root, e.sentence());
            return told(e);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve " + root, e);
            return told(DiskTrouble.unusable(root.toString(), e));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot serve " + root, e);
            return told(new Broken(
                    "internal", "Roost made a mistake: %s.".formatted(e), "logs/daemon.0.log in the home says which."));
        }
    }

    private static int told(RoostError error) {
        var json = Json.MAPPER.createObjectNode();
        json.set("error", Json.error(error));
        System.out.println(json);
        return error.code().equals("daemon_running") ? REFUSED : BROKEN;
    }

    private static void serve(Home home, Config config, SurfaceSettings surfaces, String version)
            throws InterruptedException {
        var real = new SystemClock();
        var faults = FaultFile.of(System.getenv(), real); // before the hook: it waits for whoever serves
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
        Clock clock = faults.map(FaultFile::clock).orElse(real);
        var disturbed = faults.map(config::with).orElse(config);
        try (var daemon = Daemon.open(home, disturbed, surfaces, clock, version, stop::countDown)) {
            var house = daemon.house();
            LOG.log(System.Logger.Level.INFO, "serving {0} with {1} live runs", home.root(), house.live());
            System.out.println("{\"pid\":%d}".formatted(ProcessHandle.current().pid()));
            stop.await();
            LOG.log(System.Logger.Level.INFO, "stopping; {0} live runs go on without me", house.live());
        } finally {
            stopped.countDown();
        }
    }
}
