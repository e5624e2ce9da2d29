/** For agents written in Java: what one implements, and what it is given. It knows nothing of the rest of Roost. */
@NullMarked
package dev.roost.agent;

import org.jspecify.annotations.NullMarked;
