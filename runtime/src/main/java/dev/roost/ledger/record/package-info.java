/** Records that go into and come out of the ledger; data only. */
@NullMarked
package dev.roost.ledger.record;

import org.jspecify.annotations.NullMarked;
