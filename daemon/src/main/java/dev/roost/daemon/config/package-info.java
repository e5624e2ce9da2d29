/** Reads config.toml, .roost.toml and prices.toml; stores trust in project files. */
@NullMarked
package dev.roost.daemon.config;

import org.jspecify.annotations.NullMarked;
