/** JSON-RPC lines over the home's Unix socket, for the CLI and other programs of the same user. */
@NullMarked
package dev.roost.daemon.socket;

import org.jspecify.annotations.NullMarked;
