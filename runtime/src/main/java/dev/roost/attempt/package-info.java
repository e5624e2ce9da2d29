/** One attempt from claim to end; decisions in AttemptStateMachine, effects in ProcessActions. */
@NullMarked
package dev.roost.attempt;

import org.jspecify.annotations.NullMarked;
