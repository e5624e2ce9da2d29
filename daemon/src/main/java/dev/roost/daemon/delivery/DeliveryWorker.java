package dev.roost.daemon.delivery;

import dev.roost.base.Clock;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.NotifySettings;
import dev.roost.ledger.record.Delivery;
import dev.roost.service.RoostService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Delivers notices by all channels. Due deliveries are rows of the ledger, so the next daemon continues with them. */
public final class DeliveryWorker implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(DeliveryWorker.class.getName());
    private static final int AT_ONCE = 4;
    /** The longest delay of a delivery after the machine slept, or after its node was lost. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private static final Duration LONGEST_BACKOFF = Duration.ofHours(1);
    private static final List<Duration> BACKOFF = List.of(
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofMinutes(10),
            LONGEST_BACKOFF);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final RoostService service;
    private final RunJson json;
    private final Clock clock;
    private final Duration giveUp;
    private final List<DeliveryChannel> channels;
    private final Set<String> inFlight = ConcurrentHashMap.newKeySet();
    private final Semaphore wakeups = new Semaphore(0);
    private final ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor();
    private final Thread thread = Thread.ofVirtual().name("roost-deliveries").unstarted(this::serve);

    private volatile boolean closing;

    private DeliveryWorker(RoostService service, Clock clock, Duration giveUp, List<DeliveryChannel> channels) {
        this.service = service;
        this.json = new RunJson(service);
        this.clock = clock;
        this.giveUp = giveUp;
        this.channels = channels;
    }

    public static DeliveryWorker open(NotifySettings settings, RoostService service, Clock clock) {
        var channels = new ArrayList<DeliveryChannel>();
        if (!settings.command().isEmpty()) channels.add(new CommandChannel(settings.command()));
        settings.webhook().ifPresent(webhook -> channels.add(new WebhookChannel(webhook, clock)));
        var deliveryWorker = new DeliveryWorker(service, clock, settings.giveUp(), channels);
        if (channels.isEmpty()) return deliveryWorker;
        service.onNotice(deliveryWorker.wakeups::release);
        deliveryWorker.thread.start();
        return deliveryWorker;
    }

    private void serve() {
        try {
            while (!closing) {
                var _ = wakeups.tryAcquire(deliverDue().toMillis(), TimeUnit.MILLISECONDS);
                wakeups.drainPermits();
            }
        } catch (InterruptedException e) {
            // closing
        }
    }

    /** Starts all due deliveries, and returns the time until the next one is due. */
    private Duration deliverDue() {
        try {
            var wait = LONGEST_WAIT;
            for (var channel : channels) {
                // read before the ledger, else a delivery that arrives in between would be sent twice
                var inFlightBefore = Set.copyOf(inFlight);
                for (var delivery : service.deliveries().pending(channel.name(), AT_ONCE)) {
                    if (inFlightBefore.contains(key(delivery))) continue;
                    var until = Duration.between(clock.now(), delivery.dueAt());
                    // a time so far ahead was computed before the clock was set back
                    if (!until.isPositive() || until.compareTo(LONGEST_BACKOFF) > 0) send(channel, delivery);
                    else if (until.compareTo(wait) < 0) wait = until.plusMillis(1);
                }
            }
            return wait;
        } catch (RuntimeException e) {
            if (!closing) LOG.log(System.Logger.Level.ERROR, "the due deliveries could not be read", e);
            return LONGEST_WAIT;
        }
    }

    private static String key(Delivery delivery) {
        return delivery.channel() + " " + delivery.notice().id();
    }

    private void send(DeliveryChannel channel, Delivery delivery) {
        inFlight.add(key(delivery));
        senders.execute(() -> {
            try {
                if (service.deliveries().claim(delivery)) record(delivery, attempt(channel, delivery));
                finishDelivery(delivery);
            } catch (InterruptedException e) {
                // closing: the next daemon tries
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "the try of %s could not be recorded".formatted(key(delivery)), e);
                CompletableFuture.delayedExecutor(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)
                        .execute(() -> finishDelivery(delivery)); // it is sent again, but not at once
            }
        });
    }

    private DeliveryChannel.DeliveryResult attempt(DeliveryChannel channel, Delivery delivery)
            throws InterruptedException {
        try {
            return channel.deliver(delivery, body(delivery));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, key(delivery), e);
            return new DeliveryChannel.DeliveryResult.Failed(e.getClass().getSimpleName());
        }
    }

    private byte[] body(Delivery delivery) {
        var body = json.notice(delivery.notice());
        delivery.notice()
                .ofRun()
                .ifPresent(notice ->
                        body.put("output_file", service.outputFile(notice.run()).toString()));
        return RunJson.MAPPER.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    }

    private void record(Delivery delivery, DeliveryChannel.DeliveryResult result) {
        boolean recorded = switch (result) {
            case DeliveryChannel.DeliveryResult.Delivered _ ->
                service.deliveries().markArrived(delivery);
            case DeliveryChannel.DeliveryResult.Failed(var why) ->
                service.deliveries().markFailed(delivery, why, nextTry(delivery));
            case DeliveryChannel.DeliveryResult.Refused(var why) ->
                service.deliveries().markFailed(delivery, why, Optional.empty());
        };
        if (!recorded) LOG.log(System.Logger.Level.DEBUG, "{0} belongs to a run that was removed", key(delivery));
    }

    /** Empty if no try is left. The limit counts from the first failure, so a notice that waited during a sleep is still tried. */
    private Optional<Instant> nextTry(Delivery failed) {
        var now = clock.now();
        if (!now.isBefore(failed.failingSince().orElse(now).plus(giveUp))) return Optional.empty();
        return Optional.of(now.plus(BACKOFF.get(Math.min(failed.tries(), BACKOFF.size() - 1))));
    }

    private void finishDelivery(Delivery delivery) {
        inFlight.remove(key(delivery));
        wakeups.release();
    }

    /** Waits a moment for deliveries in flight; the next daemon retries the others. */
    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        senders.shutdown();
        try {
            if (!senders.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                senders.shutdownNow();
                senders.close();
            }
        } catch (InterruptedException e) {
            senders.shutdownNow();
            Thread.currentThread().interrupt();
        }
        for (var channel : channels) if (channel instanceof AutoCloseable open) closeQuietly(open);
    }

    private static void closeQuietly(AutoCloseable channel) {
        try {
            channel.close();
        } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, "a channel could not be closed", e);
        }
    }
}
