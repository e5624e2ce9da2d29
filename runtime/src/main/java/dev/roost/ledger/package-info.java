/** The one durable store: every state change is one transaction here, and nothing else is truth. No process,
 * no file but its own, and no decision on what an end was: it is told, and writes it down. */
@NullMarked
package dev.roost.ledger;

import org.jspecify.annotations.NullMarked;
