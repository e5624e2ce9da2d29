package dev.roost.config;

import java.time.Duration;
import java.util.List;

/** What is run before and after a pause (a program and its words, or nothing), and how long that and the checkpoints may take. */
public record PausePolicy(List<String> onPause, List<String> onResume, Duration deadline) {

    public static final PausePolicy NONE = new PausePolicy(List.of(), List.of(), Duration.ofSeconds(10));
}
