/** Shared files in PostgreSQL and the uploader. */
@NullMarked
package dev.roost.cluster.files;

import org.jspecify.annotations.NullMarked;
