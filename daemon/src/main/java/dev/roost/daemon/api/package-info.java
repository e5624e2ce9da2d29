/** Operations any surface offers, their fields and their JSON; knows no transport. */
@NullMarked
package dev.roost.daemon.api;

import org.jspecify.annotations.NullMarked;
