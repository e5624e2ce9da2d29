/** One-time move of an embedded ledger. */
@NullMarked
package dev.roost.cluster.migrate;

import org.jspecify.annotations.NullMarked;
