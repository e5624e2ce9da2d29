/** The Agent Client Protocol driver. */
@NullMarked
package dev.roost.agents.acp;

import org.jspecify.annotations.NullMarked;
