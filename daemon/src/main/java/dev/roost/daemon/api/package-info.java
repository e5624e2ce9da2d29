/** Operations that any surface offers, their fields and their JSON; independent of the transport. */
@NullMarked
package dev.roost.daemon.api;

import org.jspecify.annotations.NullMarked;
