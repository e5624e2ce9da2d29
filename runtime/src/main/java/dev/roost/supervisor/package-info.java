/** Processes and their files: starts them, sees them end, ends them. Knows nothing of the ledger or of agents. */
@NullMarked
package dev.roost.supervisor;

import org.jspecify.annotations.NullMarked;
