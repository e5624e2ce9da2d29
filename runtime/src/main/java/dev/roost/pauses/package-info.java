/** Detects and records pauses (sleep, reboot, daemon downtime) and prepares for announced ones. */
@NullMarked
package dev.roost.pauses;

import org.jspecify.annotations.NullMarked;
