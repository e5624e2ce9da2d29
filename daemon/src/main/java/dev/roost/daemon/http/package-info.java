/** The HTTP listener: requests, streams, authentication, TLS. Its routes come from other packages. */
@NullMarked
package dev.roost.daemon.http;

import org.jspecify.annotations.NullMarked;
