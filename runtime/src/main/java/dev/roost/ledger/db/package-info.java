/** Connections, group commit, SQLite file and schema; knows no table. */
@NullMarked
package dev.roost.ledger.db;

import org.jspecify.annotations.NullMarked;
