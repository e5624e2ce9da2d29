/** The same Roost on several machines: the ledger in PostgreSQL, starts by db-scheduler. No rule of a
 * run's life lives here, and no surface: a home that is alone must lack nothing but the others. */
@NullMarked
package dev.roost.cluster;

import org.jspecify.annotations.NullMarked;
