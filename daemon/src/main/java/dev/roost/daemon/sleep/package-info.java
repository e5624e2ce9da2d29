/** Handles sleep signals of logind. */
@NullMarked
package dev.roost.daemon.sleep;

import org.jspecify.annotations.NullMarked;
