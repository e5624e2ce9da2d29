/**
 * Roost as a library: background runs that outlive the program which asked for them.
 *
 * <p>{@link dev.roost.Roost#open} opens a home; {@link dev.roost.Runs} is what can be done there for one owner. Its words
 * (statuses, phases, causes, errors) are in {@code dev.roost.run}, and what an agent written in Java needs is in
 * {@code dev.roost.agent}. No other package is meant for others.
 */
@NullMarked
package dev.roost;

import org.jspecify.annotations.NullMarked;
