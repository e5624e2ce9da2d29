/** The REST API and the metrics. */
@NullMarked
package dev.roost.daemon.rest;

import org.jspecify.annotations.NullMarked;
