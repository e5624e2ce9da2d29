/** The way in for programs that cannot use the socket, and for browsers: tools, hooks, the API, the meters and the page over HTTP. */
@NullMarked
package dev.roost.daemon.http;

import org.jspecify.annotations.NullMarked;
