/** Writes docs/reference and manual pages. */
@NullMarked
package dev.roost.docgen;

import org.jspecify.annotations.NullMarked;
