/** Reads config.toml, .roost.toml, prices.toml, trust. */
@NullMarked
package dev.roost.daemon.config;

import org.jspecify.annotations.NullMarked;
