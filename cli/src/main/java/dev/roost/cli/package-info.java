/** Main class, fast path, completion, overview. */
@NullMarked
package dev.roost.cli;

import org.jspecify.annotations.NullMarked;
