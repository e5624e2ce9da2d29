/** Commands on runs, one class each. */
@NullMarked
package dev.roost.cli.run;

import org.jspecify.annotations.NullMarked;
