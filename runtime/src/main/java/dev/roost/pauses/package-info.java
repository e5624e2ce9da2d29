/** Times in which nobody looks after the runs: how they are noticed, and the hooks around them. Knows run and ledger. */
@NullMarked
package dev.roost.pauses;

import org.jspecify.annotations.NullMarked;
