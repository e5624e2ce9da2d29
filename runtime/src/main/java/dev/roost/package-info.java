/** The library API; the only packages a stranger may import (with {@code agent} and {@code model}). */
@NullMarked
package dev.roost;

import org.jspecify.annotations.NullMarked;
