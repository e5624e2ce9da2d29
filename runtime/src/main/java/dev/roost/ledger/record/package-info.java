/** Records that the ledger takes and returns; data only. */
@NullMarked
package dev.roost.ledger.record;

import org.jspecify.annotations.NullMarked;
