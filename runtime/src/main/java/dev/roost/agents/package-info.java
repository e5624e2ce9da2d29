/** The driver interface, its inputs and its outputs; no processes and no ledger. */
@NullMarked
package dev.roost.agents;

import org.jspecify.annotations.NullMarked;
