package dev.roost.daemon.config;

/** How the daemon's log is written: lines for people, or one JSON object a line. */
public enum LogFormat {
    TEXT,
    JSON
}
