/** The way in for programs that cannot use the socket: tools and hooks over HTTP, on this machine's own address only. */
@NullMarked
package dev.roost.daemon.http;

import org.jspecify.annotations.NullMarked;
