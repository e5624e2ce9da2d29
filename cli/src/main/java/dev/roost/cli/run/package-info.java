/** One class a command on runs. */
@NullMarked
package dev.roost.cli.run;

import org.jspecify.annotations.NullMarked;
