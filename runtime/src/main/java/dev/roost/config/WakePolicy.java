package dev.roost.config;

import java.time.Duration;

/**
 * When Roost may wake a parent session. {@code quiet}: the minimum time since its user submitted a prompt. {@code limit}: the
 * maximum of consecutive turns without a prompt of the user. {@code window} and {@code most}: how long Roost waits after one
 * end for further ends to report together.
 */
public record WakePolicy(Mode mode, Duration quiet, int limit, Duration window, Duration most) {

    public enum Mode {
        OFF,
        /** Wakes only an open session that waits for its user. */
        IDLE,
        /** Also wakes a session that has ended, by starting its harness headless. */
        HEADLESS
    }

    public static final WakePolicy DEFAULT =
            new WakePolicy(Mode.IDLE, Duration.ofSeconds(10), 3, Duration.ofSeconds(2), Duration.ofSeconds(10));
}
