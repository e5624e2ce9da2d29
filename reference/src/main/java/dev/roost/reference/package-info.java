/** Writes the reference and the manual pages from what the program itself knows. Nothing that runs may know this. */
@NullMarked
package dev.roost.reference;

import org.jspecify.annotations.NullMarked;
