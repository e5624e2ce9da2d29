/** Runs as text for people. */
@NullMarked
package dev.roost.cli.view;

import org.jspecify.annotations.NullMarked;
