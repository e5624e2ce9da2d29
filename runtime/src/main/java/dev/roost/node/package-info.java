/** The interface to a cluster, and the fences that keep a node from acting on attempts of other nodes. */
@NullMarked
package dev.roost.node;

import org.jspecify.annotations.NullMarked;
