/** The same Roost on several machines: the ledger in PostgreSQL, starts by db-scheduler. */
@NullMarked
package dev.roost.cluster;

import org.jspecify.annotations.NullMarked;
