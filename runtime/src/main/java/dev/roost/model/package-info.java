/** The model of a run: states, events, causes, budgets, owners; pure, imports java.base only. */
@NullMarked
package dev.roost.model;

import org.jspecify.annotations.NullMarked;
