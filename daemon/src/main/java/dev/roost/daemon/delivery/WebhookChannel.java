package dev.roost.daemon.delivery;

import dev.roost.base.BadInput;
import dev.roost.base.Clock;
import dev.roost.daemon.config.NotifySettings;
import dev.roost.ledger.record.Delivery;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Sends a POST whose signature proves its sender and time. The secret and the address appear in no log and no error. */
final class WebhookChannel implements DeliveryChannel, AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int GONE = 410;

    private final NotifySettings.Webhook webhook;
    private final Clock clock;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    WebhookChannel(NotifySettings.Webhook webhook, Clock clock) {
        this.webhook = webhook;
        this.clock = clock;
    }

    @Override
    public String name() {
        return NotifySettings.WEBHOOK;
    }

    @Override
    public DeliveryResult deliver(Delivery delivery, byte[] body) throws InterruptedException {
        HttpRequest request;
        try {
            request = signed(delivery, body);
        } catch (BadInput e) {
            return new DeliveryResult.Failed(e.sentence()); // the secret's file is unusable; the user may correct it
        }
        var answer = client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        try {
            return result(answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS).statusCode());
        } catch (TimeoutException e) {
            return new DeliveryResult.Failed("no answer within %d s".formatted(LIMIT.toSeconds()));
        } catch (ExecutionException e) {
            return new DeliveryResult.Failed("no answer: " + reason(e));
        } finally {
            answer.cancel(true);
        }
    }

    private static DeliveryResult result(int status) {
        if (status >= 200 && status < 300) return new DeliveryResult.Delivered();
        return status == GONE
                ? new DeliveryResult.Refused("answered 410, gone")
                : new DeliveryResult.Failed("answered " + status);
    }

    /** Only the kind of failure: the message may contain secrets of the address. */
    private static String reason(ExecutionException e) {
        Throwable cause = e;
        while (cause.getCause() != null) cause = cause.getCause();
        return cause.getClass().getSimpleName();
    }

    private HttpRequest signed(Delivery delivery, byte[] body) {
        String timestamp = Long.toString(clock.now().getEpochSecond());
        return HttpRequest.newBuilder(webhook.address())
                .timeout(LIMIT)
                .header("Content-Type", "application/json")
                .header("User-Agent", "roost")
                .header("Roost-Delivery", delivery.id())
                .header("Roost-Timestamp", timestamp)
                .header("Roost-Signature", "sha256=" + signature(timestamp, body))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
    }

    private String signature(String timestamp, byte[] body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(webhook.secret().read(), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
