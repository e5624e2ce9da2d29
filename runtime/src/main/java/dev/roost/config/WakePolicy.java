package dev.roost.config;

import java.time.Duration;

/**
 * When a parent session may be woken. {@code quiet}: not so soon after its user submitted a prompt; {@code limit}: turns in a
 * row that the user did not ask for; {@code window} and {@code most}: how long one waits for further ends to tell together.
 */
public record WakePolicy(Mode mode, Duration quiet, int limit, Duration window, Duration most) {

    public enum Mode {
        OFF,
        /** A session that waits for its user. */
        IDLE,
        /** Also one that has ended, by starting its harness without anybody before it. */
        HEADLESS
    }

    public static final WakePolicy DEFAULT =
            new WakePolicy(Mode.IDLE, Duration.ofSeconds(10), 3, Duration.ofSeconds(2), Duration.ofSeconds(10));
}
