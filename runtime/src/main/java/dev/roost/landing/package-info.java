/** Computes how far code got, from git and forges. */
@NullMarked
package dev.roost.landing;

import org.jspecify.annotations.NullMarked;
