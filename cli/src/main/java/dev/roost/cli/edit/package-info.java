/** Edits JSON and TOML text in place. */
@NullMarked
package dev.roost.cli.edit;

import org.jspecify.annotations.NullMarked;
