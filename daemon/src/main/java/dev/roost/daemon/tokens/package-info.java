/** Who may come in by a token, and what it leaves of the world. Knows secrets by their hash, and Roost; no carriers. */
@NullMarked
package dev.roost.daemon.tokens;

import org.jspecify.annotations.NullMarked;
