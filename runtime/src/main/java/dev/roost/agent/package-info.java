/** API and process of agents written in Java; imports nothing else of Roost. */
@NullMarked
package dev.roost.agent;

import org.jspecify.annotations.NullMarked;
