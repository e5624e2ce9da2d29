package dev.roost.daemon.socket;

/** What the socket needs to know of the daemon around it. */
public record DaemonFacts(String version, Runnable shutdown) {}
