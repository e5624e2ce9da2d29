/** What a run is: its states, events, outcomes, causes, budgets. Pure: java.base only, no input or output. */
@NullMarked
package dev.roost.run;

import org.jspecify.annotations.NullMarked;
