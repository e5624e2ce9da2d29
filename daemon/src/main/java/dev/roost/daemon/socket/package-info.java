/** Serves JSON-RPC lines over the Unix socket. */
@NullMarked
package dev.roost.daemon.socket;

import org.jspecify.annotations.NullMarked;
