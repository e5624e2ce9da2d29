/** The promises of the contract as rules over what was seen of a run; knows no home, socket, process or clock. */
@NullMarked
package dev.roost.chaos.promise;

import org.jspecify.annotations.NullMarked;
