/** The daemon as a service of systemd or launchd. */
@NullMarked
package dev.roost.cli.service;

import org.jspecify.annotations.NullMarked;
