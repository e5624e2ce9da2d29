/** What a driver is and what it is given and gives back; no process, no ledger. */
@NullMarked
package dev.roost.agents;

import org.jspecify.annotations.NullMarked;
