/** Decides what an attempt does next: values in, values out. It reads no clock, file, process or ledger. */
@NullMarked
package dev.roost.attempt.core;

import org.jspecify.annotations.NullMarked;
