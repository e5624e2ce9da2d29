/** Notices by command and webhook; headless wake. */
@NullMarked
package dev.roost.daemon.delivery;

import org.jspecify.annotations.NullMarked;
