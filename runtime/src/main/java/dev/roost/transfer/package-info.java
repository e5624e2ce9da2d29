/** Packs and unpacks what a run takes to another machine. */
@NullMarked
package dev.roost.transfer;

import org.jspecify.annotations.NullMarked;
