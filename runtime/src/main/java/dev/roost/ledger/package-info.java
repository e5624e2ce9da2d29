/** {@code Ledger} and one store per table group; the only place with SQL; every state change is one method here. */
@NullMarked
package dev.roost.ledger;

import org.jspecify.annotations.NullMarked;
