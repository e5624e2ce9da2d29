/** Systemd and launchd units. */
@NullMarked
package dev.roost.cli.service;

import org.jspecify.annotations.NullMarked;
