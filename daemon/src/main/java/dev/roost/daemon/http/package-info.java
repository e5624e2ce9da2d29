/** HTTP primitives: request, streams, authentication, TLS; knows no route. */
@NullMarked
package dev.roost.daemon.http;

import org.jspecify.annotations.NullMarked;
