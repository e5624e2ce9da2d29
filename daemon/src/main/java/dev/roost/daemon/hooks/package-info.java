/** What harness hooks report and are answered. */
@NullMarked
package dev.roost.daemon.hooks;

import org.jspecify.annotations.NullMarked;
