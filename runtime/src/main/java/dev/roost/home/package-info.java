/** Files under {@code $ROOST_HOME}: layout, locks, records; no process, no ledger. */
@NullMarked
package dev.roost.home;

import org.jspecify.annotations.NullMarked;
