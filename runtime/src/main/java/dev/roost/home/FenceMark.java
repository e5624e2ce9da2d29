package dev.roost.home;

import java.time.Instant;

/** The mark in an attempt's directory that says that its processes were ended here, because others go on with its run. */
public record FenceMark(Instant at, String why) {}
