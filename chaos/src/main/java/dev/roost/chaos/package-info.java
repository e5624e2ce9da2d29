/** Breaks a throw-away home and checks the promises; knows socket, files, processes only. */
@NullMarked
package dev.roost.chaos;

import org.jspecify.annotations.NullMarked;
