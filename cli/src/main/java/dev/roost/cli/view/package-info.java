/** Runs as text: lines, tables, summaries. */
@NullMarked
package dev.roost.cli.view;

import org.jspecify.annotations.NullMarked;
