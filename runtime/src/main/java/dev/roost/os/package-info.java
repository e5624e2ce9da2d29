/** The interface to the kernel: processes, exits, file events, spawn; Linux and portable half. */
@NullMarked
package dev.roost.os;

import org.jspecify.annotations.NullMarked;
