package dev.roost.chaos.promise;

import java.util.List;

/**
 * All runs as seen at one time.
 *
 * @param at when the observer began to look, in seconds
 * @param calmSince when the last disturbance was over, and Roost answered again
 */
public record RunObservation(double at, double calmSince, List<RunFact> facts) {}
