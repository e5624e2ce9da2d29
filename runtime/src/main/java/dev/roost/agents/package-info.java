/** How to run each kind of agent, and how to judge its end. */
@NullMarked
package dev.roost.agents;

import org.jspecify.annotations.NullMarked;
