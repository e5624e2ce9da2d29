/** How to run each kind of agent, and how to judge its end. No process is started and no row written here. */
@NullMarked
package dev.roost.agents;

import org.jspecify.annotations.NullMarked;
