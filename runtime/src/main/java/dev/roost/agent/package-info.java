/** API and process of agents written in Java; knows nothing else of Roost. */
@NullMarked
package dev.roost.agent;

import org.jspecify.annotations.NullMarked;
