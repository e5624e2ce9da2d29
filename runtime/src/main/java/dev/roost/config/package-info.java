/** Settings of the engine as values; no file parsing. */
@NullMarked
package dev.roost.config;

import org.jspecify.annotations.NullMarked;
