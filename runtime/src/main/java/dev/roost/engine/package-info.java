/** The context every engine part gets, and the catalog of agents. */
@NullMarked
package dev.roost.engine;

import org.jspecify.annotations.NullMarked;
