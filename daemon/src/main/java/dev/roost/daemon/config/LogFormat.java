package dev.roost.daemon.config;

/** The format of the daemon's log: plain text, or one JSON object a line. */
public enum LogFormat {
    TEXT,
    JSON
}
