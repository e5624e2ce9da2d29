/** Connections, group commit, SQLite file and schema; contains no query of a ledger's tables but events. */
@NullMarked
package dev.roost.ledger.db;

import org.jspecify.annotations.NullMarked;
