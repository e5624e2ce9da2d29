package dev.roost.daemon.sleep;

import dev.roost.base.TextFormat;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Pauses Roost when logind announces sleep, and resumes it when the machine is awake again. If there is no bus, no logind or no
 * program to listen with, it logs that once and tries again at intervals.
 */
public final class SleepWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SleepWatch.class.getName());
    private static final Duration PAUSE_TIMEOUT = Duration.ofSeconds(15);

    private final RoostService service;
    private final SystemBus systemBus;
    private final Inhibitor inhibitor;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable TetheredProcess tetheredProcess;
    private @Nullable Thread thread;
    private boolean paused;
    private String lastLogged = "";

    private SleepWatch(RoostService service, SystemBus systemBus) {
        this.service = service;
        this.systemBus = systemBus;
        this.inhibitor = new Inhibitor(systemBus);
    }

    public static SleepWatch open(RoostService service, boolean on, Map<String, String> environment) {
        var watch = new SleepWatch(service, new SystemBus(environment));
        if (!on) return watch;
        var listener = SleepSignalSource.find(environment);
        if (listener.isEmpty()) watch.log("sleep is not announced: neither gdbus nor dbus-monitor is installed");
        else watch.thread = Thread.ofVirtual().name("sleep").start(() -> watch.listenWithRetry(listener.get()));
        return watch;
    }

    private void listenWithRetry(SleepSignalSource sleepSignalSource) {
        var retryDelay = new RetryDelay();
        try {
            Duration wait;
            do {
                long began = System.nanoTime();
                try {
                    listen(sleepSignalSource);
                } catch (IOException | RuntimeException e) {
                    log("the system bus cannot be listened to: " + e.getMessage());
                }
                wait = retryDelay.after(Duration.ofNanos(System.nanoTime() - began));
            } while (!closing.await(wait.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            inhibitor.release();
        }
    }

    /** Listens until the listener ends; returns at once if there is no bus or no logind. */
    private void listen(SleepSignalSource sleepSignalSource) throws IOException {
        if (!systemBus.mayBeThere()) {
            log("sleep is not announced: there is no system bus");
            return;
        }
        Optional<Logind> logind;
        try (var asking = start(sleepSignalSource.askingForLimit())) {
            logind = Logind.of(asking);
        }
        if (logind.isEmpty()) {
            log("sleep is not announced: logind does not answer on the system bus");
            return;
        }
        try (var listening = start(sleepSignalSource.listening());
                var lines = listening.lines()) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                switch (sleepSignalSource.parse(line)) {
                    case LISTENING -> listening(logind.get());
                    case SLEEPS -> pause(logind.get());
                    case AWAKE -> resume();
                    case NOTHING -> {}
                }
            }
        } finally {
            inhibitor.release(); // without signals, the lock would only delay a sleep
        }
    }

    private void listening(Logind logind) {
        log("logind announces sleep"
                + logind.limit()
                        .map(limit -> ", and waits up to " + TextFormat.span(limit))
                        .orElse(""));
        if (paused) resume(); // the end of the sleep was signaled while the listener was not subscribed
        inhibitor.take();
    }

    private void pause(Logind logind) {
        long began = System.nanoTime();
        paused = true;
        try {
            logind.readyWithin().ifPresentOrElse(service::pause, service::pause);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the machine goes to sleep, and preparing for it failed", e);
        } finally {
            inhibitor.release();
        }
        var took = Duration.ofNanos(System.nanoTime() - began);
        if (logind.limit().filter(limit -> took.compareTo(limit) > 0).isPresent())
            LOG.log(
                    System.Logger.Level.WARNING,
                    "preparing for sleep took {0}, longer than logind waits: the machine may have slept too early",
                    TextFormat.span(took));
    }

    private void resume() {
        paused = false;
        try {
            service.resume();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the machine is awake, and recording that failed", e);
        }
        inhibitor.take();
    }

    private synchronized TetheredProcess start(List<String> program) throws IOException {
        if (closing.getCount() == 0) throw new IOException("the daemon stops");
        tetheredProcess = TetheredProcess.start(systemBus, program);
        return tetheredProcess;
    }

    /** Logs a line only if it differs from the last one. */
    private void log(String what) {
        if (what.equals(lastLogged) || closing.getCount() == 0) return;
        lastLogged = what;
        LOG.log(System.Logger.Level.INFO, what);
    }

    @Override
    public void close() {
        synchronized (this) {
            closing.countDown();
            if (tetheredProcess != null) tetheredProcess.close();
        }
        if (thread == null) return;
        try {
            thread.join(PAUSE_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inhibitor.release();
    }
}
