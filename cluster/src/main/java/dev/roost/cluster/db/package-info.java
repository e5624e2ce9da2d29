/** PostgreSQL: address, connections, schema, locks. */
@NullMarked
package dev.roost.cluster.db;

import org.jspecify.annotations.NullMarked;
