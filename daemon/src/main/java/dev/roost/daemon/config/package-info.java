/** What people write for Roost: config.toml, prices.toml, a project's .roost.toml, and which of the last a person trusts. */
@NullMarked
package dev.roost.daemon.config;

import org.jspecify.annotations.NullMarked;
