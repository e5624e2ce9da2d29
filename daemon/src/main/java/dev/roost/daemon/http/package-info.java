/** HTTP primitives without routes: requests, streams, authentication, TLS. */
@NullMarked
package dev.roost.daemon.http;

import org.jspecify.annotations.NullMarked;
