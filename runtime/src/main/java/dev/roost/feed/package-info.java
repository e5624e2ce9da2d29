/** Notifies threads, subscribers and clients that runs changed. */
@NullMarked
package dev.roost.feed;

import org.jspecify.annotations.NullMarked;
