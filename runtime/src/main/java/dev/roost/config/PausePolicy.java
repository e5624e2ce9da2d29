package dev.roost.config;

import java.time.Duration;
import java.util.List;

/** The commands to run before and after a pause (or empty), and the timeout for them and for the checkpoints. */
public record PausePolicy(List<String> onPause, List<String> onResume, Duration deadline) {

    public static final PausePolicy NONE = new PausePolicy(List.of(), List.of(), Duration.ofSeconds(10));
}
