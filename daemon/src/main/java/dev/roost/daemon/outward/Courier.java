package dev.roost.daemon.outward;

import dev.roost.daemon.config.NotifySettings;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.ledger.Delivery;
import dev.roost.run.Clock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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

/** Carries notices out by every channel there is. What is due stands in the ledger, so the next daemon goes on from there. */
public final class Courier implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Courier.class.getName());
    private static final int AT_ONCE = 4;
    /** A machine that slept is late by that at most, and so is what a node that is gone has left. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private static final Duration PARTING = Duration.ofSeconds(2);

    private final House house;
    private final Json json;
    private final Clock clock;
    private final Backoff backoff;
    private final List<Channel> channels;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final Semaphore news = new Semaphore(0);
    private final ExecutorService carriers = Executors.newVirtualThreadPerTaskExecutor();
    private final Thread thread = Thread.ofVirtual().name("roost-courier").unstarted(this::serve);

    private volatile boolean closing;

    private Courier(House house, Clock clock, Backoff backoff, List<Channel> channels) {
        this.house = house;
        this.json = new Json(house);
        this.clock = clock;
        this.backoff = backoff;
        this.channels = channels;
    }

    public static Courier open(NotifySettings settings, House house, Clock clock) {
        var channels = new ArrayList<Channel>();
        if (!settings.command().isEmpty()) channels.add(new CommandChannel(settings.command()));
        settings.webhook().ifPresent(webhook -> channels.add(new WebhookChannel(webhook, clock)));
        var courier = new Courier(house, clock, new Backoff(settings.giveUp()), channels);
        if (channels.isEmpty()) return courier;
        house.onNotice(courier.news::release);
        courier.thread.start();
        return courier;
    }

    private void serve() {
        try {
            while (!closing) {
                var _ = news.tryAcquire(look().toMillis(), TimeUnit.MILLISECONDS);
                news.drainPermits();
            }
        } catch (InterruptedException e) {
            // closing
        }
    }

    /** Sends off what is due; how long to wait for what is due later. */
    private Duration look() {
        try {
            var wait = LONGEST_WAIT;
            for (var channel : channels) {
                var before = Set.copyOf(underWay); // first this, then the ledger: else what just arrived goes out again
                for (var delivery : house.deliveries().open(channel.name(), AT_ONCE)) {
                    if (before.contains(key(delivery))) continue;
                    var until = Duration.between(clock.now(), delivery.dueAt());
                    // one so far away was made before somebody set the clock back
                    if (!until.isPositive() || until.compareTo(Backoff.LONGEST) > 0) send(channel, delivery);
                    else if (until.compareTo(wait) < 0) wait = until.plusMillis(1);
                }
            }
            return wait;
        } catch (RuntimeException e) {
            if (!closing) LOG.log(System.Logger.Level.ERROR, "what is to go out could not be looked up", e);
            return LONGEST_WAIT;
        }
    }

    private static String key(Delivery delivery) {
        return delivery.channel() + " " + delivery.notice().id();
    }

    private void send(Channel channel, Delivery delivery) {
        underWay.add(key(delivery));
        carriers.execute(() -> {
            try {
                if (house.deliveries().claim(delivery)) record(delivery, attempt(channel, delivery));
                letGo(delivery);
            } catch (InterruptedException e) {
                // closing: the next daemon tries
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "that %s was tried is not recorded".formatted(key(delivery)), e);
                CompletableFuture.delayedExecutor(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)
                        .execute(() -> letGo(delivery)); // it will go out again, but not at once
            }
        });
    }

    private Channel.Tried attempt(Channel channel, Delivery delivery) throws InterruptedException {
        try {
            return channel.carry(delivery, body(delivery));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, key(delivery), e);
            return new Channel.Tried.Failed(e.getClass().getSimpleName());
        }
    }

    private byte[] body(Delivery delivery) {
        var body = json.notice(delivery.notice());
        delivery.notice()
                .ofRun()
                .ifPresent(notice ->
                        body.put("output_file", house.outputFile(notice.run()).toString()));
        return Json.MAPPER.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    }

    private void record(Delivery delivery, Channel.Tried tried) {
        boolean known = switch (tried) {
            case Channel.Tried.Arrived _ -> house.deliveries().arrived(delivery);
            case Channel.Tried.Failed(var why) ->
                house.deliveries().failed(delivery, why, backoff.after(delivery, clock.now()));
            case Channel.Tried.Refused(var why) -> house.deliveries().failed(delivery, why, Optional.empty());
        };
        if (!known) LOG.log(System.Logger.Level.DEBUG, "{0} is of a run that was removed", key(delivery));
    }

    private void letGo(Delivery delivery) {
        underWay.remove(key(delivery));
        news.release();
    }

    /** What is under way may arrive; what takes longer is tried again by the next daemon. */
    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        carriers.shutdown();
        try {
            if (!carriers.awaitTermination(PARTING.toMillis(), TimeUnit.MILLISECONDS)) {
                carriers.shutdownNow();
                carriers.close();
            }
        } catch (InterruptedException e) {
            carriers.shutdownNow();
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
