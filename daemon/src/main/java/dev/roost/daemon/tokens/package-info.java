/** Creates, signs and checks tokens and their scopes. */
@NullMarked
package dev.roost.daemon.tokens;

import org.jspecify.annotations.NullMarked;
