/** Logind signals. */
@NullMarked
package dev.roost.daemon.sleep;

import org.jspecify.annotations.NullMarked;
