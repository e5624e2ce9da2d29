/** Membership, leases, placement, starts. */
@NullMarked
package dev.roost.cluster;

import org.jspecify.annotations.NullMarked;
