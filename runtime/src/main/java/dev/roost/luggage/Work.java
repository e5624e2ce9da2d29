package dev.roost.luggage;

import dev.roost.worktrees.Parcel;
import java.util.Optional;

/**
 * A worktree's latest checkpoint.
 *
 * @param base the commit that the run began from
 * @param target the branch that it is meant for
 * @param remote where the checkpoint was pushed, in which case it does not travel itself
 */
public record Work(
        Parcel parcel, String base, Optional<String> target, Optional<String> remote, Optional<Piece> bundle) {}
