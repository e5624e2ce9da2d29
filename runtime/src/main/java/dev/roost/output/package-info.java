/** Output.md, transcript and results: recorded, rendered, rebuilt, read. */
@NullMarked
package dev.roost.output;

import org.jspecify.annotations.NullMarked;
