/** The one durable store: every state change is one transaction here, and nothing else is truth. */
@NullMarked
package dev.roost.ledger;

import org.jspecify.annotations.NullMarked;
