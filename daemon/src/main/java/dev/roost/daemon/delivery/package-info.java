/** Delivers notices by command and webhook, and continues ended sessions (headless wake). */
@NullMarked
package dev.roost.daemon.delivery;

import org.jspecify.annotations.NullMarked;
