/** Handles the reports of harness hooks, and their answers. */
@NullMarked
package dev.roost.daemon.hooks;

import org.jspecify.annotations.NullMarked;
