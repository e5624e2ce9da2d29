/** Packs and unpacks the files that a run needs on another machine. */
@NullMarked
package dev.roost.transfer;

import org.jspecify.annotations.NullMarked;
