/** Files of runs for nodes that do not hold them: what a shelf is, and how its files come into a home. Knows no database. */
@NullMarked
package dev.roost.shelf;

import org.jspecify.annotations.NullMarked;
