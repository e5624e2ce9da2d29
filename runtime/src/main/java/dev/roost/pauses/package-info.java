/** Sleep, reboot, daemon down: detected, prepared for, recorded. */
@NullMarked
package dev.roost.pauses;

import org.jspecify.annotations.NullMarked;
