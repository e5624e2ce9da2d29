/** The library API. Programs may import this package, {@code agent} and {@code model}, and no other. */
@NullMarked
package dev.roost;

import org.jspecify.annotations.NullMarked;
