/** The bridges {@code hook}, {@code mcp} and {@code socket}; loads no parser and no JSON library. */
@NullMarked
package dev.roost.cli.bridge;

import org.jspecify.annotations.NullMarked;
