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
 * Has Roost make ready when logind says that the machine is about to sleep, and go on when it is awake again. Where there
 * is no bus, no logind or no program to listen with, it says so once in the log and does no more than look again at times.
 */
public final class SleepWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SleepWatch.class.getName());
    private static final Duration A_PAUSE_UNDER_WAY = Duration.ofSeconds(15);

    private final RoostService service;
    private final SystemBus systemBus;
    private final Inhibitor inhibitor;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable TetheredProcess tetheredProcess;
    private @Nullable Thread thread;
    private boolean paused;
    private String said = "";

    private SleepWatch(RoostService service, SystemBus systemBus) {
        this.service = service;
        this.systemBus = systemBus;
        this.inhibitor = new Inhibitor(systemBus);
    }

    public static SleepWatch open(RoostService service, boolean on, Map<String, String> environment) {
        var watch = new SleepWatch(service, new SystemBus(environment));
        if (!on) return watch;
        var listener = SleepSignalSource.find(environment);
        if (listener.isEmpty()) watch.log("there is neither gdbus nor dbus-monitor to hear of sleep beforehand");
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

    /** Returns when there is nothing to listen to, or no longer. */
    private void listen(SleepSignalSource sleepSignalSource) throws IOException {
        if (!systemBus.mayBeThere()) {
            log("there is no system bus to hear of sleep beforehand");
            return;
        }
        Optional<Logind> logind;
        try (var asking = start(sleepSignalSource.askingForLimit())) {
            logind = Logind.of(asking);
        }
        if (logind.isEmpty()) {
            log("no logind answers on the system bus, so nobody tells us of sleep beforehand");
            return;
        }
        try (var listening = start(sleepSignalSource.listening());
                var lines = listening.lines()) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                switch (sleepSignalSource.hear(line)) {
                    case LISTENING -> listening(logind.get());
                    case SLEEPS -> pause(logind.get());
                    case AWAKE -> resume();
                    case NOTHING -> {}
                }
            }
        } finally {
            inhibitor.release(); // a sleep that we do not hear of is not held up
        }
    }

    private void listening(Logind logind) {
        log("logind tells us of sleep beforehand"
                + logind.limit()
                        .map(limit -> ", and waits for us for " + TextFormat.span(limit))
                        .orElse(""));
        if (paused) resume(); // the end of the sleep was told while we could not hear it
        inhibitor.take();
    }

    private void pause(Logind logind) {
        long began = System.nanoTime();
        paused = true;
        try {
            logind.readyWithin().ifPresentOrElse(service::pause, service::pause);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the machine goes to sleep, and we are not ready", e);
        } finally {
            inhibitor.release();
        }
        var took = Duration.ofNanos(System.nanoTime() - began);
        if (logind.limit().filter(limit -> took.compareTo(limit) > 0).isPresent())
            LOG.log(
                    System.Logger.Level.WARNING,
                    "making ready for sleep took {0}, longer than logind waits for us: the machine may have slept before",
                    TextFormat.span(took));
    }

    private void resume() {
        paused = false;
        try {
            service.resume();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the machine is awake, and that is not recorded", e);
        }
        inhibitor.take();
    }

    private synchronized TetheredProcess start(List<String> program) throws IOException {
        if (closing.getCount() == 0) throw new IOException("the daemon stops");
        tetheredProcess = TetheredProcess.start(systemBus, program);
        return tetheredProcess;
    }

    /** The log gets a line only when something has changed. */
    private void log(String what) {
        if (what.equals(said) || closing.getCount() == 0) return;
        said = what;
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
            thread.join(A_PAUSE_UNDER_WAY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inhibitor.release();
    }
}
