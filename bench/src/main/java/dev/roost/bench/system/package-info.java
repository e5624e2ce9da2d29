/** The systems under measurement: Roost, other tools and bare programs. */
@NullMarked
package dev.roost.bench.system;

import org.jspecify.annotations.NullMarked;
