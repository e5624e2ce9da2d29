/** Process trees and perches: start, find again, kill. */
@NullMarked
package dev.roost.process;

import org.jspecify.annotations.NullMarked;
