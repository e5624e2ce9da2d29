/** The seam to a cluster, and what keeps a node from acting on attempts that are not its own. */
@NullMarked
package dev.roost.node;

import org.jspecify.annotations.NullMarked;
