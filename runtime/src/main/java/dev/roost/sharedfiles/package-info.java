/** Files of runs that several nodes share: the interface and the local mirror. */
@NullMarked
package dev.roost.sharedfiles;

import org.jspecify.annotations.NullMarked;
