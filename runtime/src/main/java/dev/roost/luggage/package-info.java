/**
 * What a run takes along when its next attempt is made on another machine: its agent's own conversation and its
 * worktree's checkpoint. Files and git only; knows no ledger.
 */
@NullMarked
package dev.roost.luggage;

import org.jspecify.annotations.NullMarked;
