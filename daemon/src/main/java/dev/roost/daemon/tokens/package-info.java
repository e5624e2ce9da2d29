/** Tokens and their scopes. */
@NullMarked
package dev.roost.daemon.tokens;

import org.jspecify.annotations.NullMarked;
