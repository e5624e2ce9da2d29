/** Changes other programs' configuration as text, so that all that others wrote there stays as it is. Knows no harness. */
@NullMarked
package dev.roost.cli.edit;

import org.jspecify.annotations.NullMarked;
