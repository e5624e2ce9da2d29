/** Wires Roost into harnesses: edits and checks their files. */
@NullMarked
package dev.roost.cli.install;

import org.jspecify.annotations.NullMarked;
