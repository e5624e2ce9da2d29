/** Roost broken on purpose in a throw-away home, and what came of it judged. It knows the socket, files and processes, as a user could. */
@NullMarked
package dev.roost.cli.chaos;

import org.jspecify.annotations.NullMarked;
