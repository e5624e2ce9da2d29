package dev.roost.config;

import dev.roost.base.ErrorCode;
import dev.roost.ledger.Ledger;
import dev.roost.model.Cause;
import dev.roost.model.Owner;
import java.util.Optional;

/** The caps on what all runs of one owner may use on one day (UTC). */
public record DailyBudget(Optional<Long> maxTokens, Optional<Long> maxCostMicros) {

    public static final DailyBudget NONE = new DailyBudget(Optional.empty(), Optional.empty());

    /** Throws if the owner has used up its budget for today. */
    public void refuseMore(Owner owner, Ledger ledger) {
        if (exceededBy(owner, ledger).isEmpty()) return;
        throw ErrorCode.OVER_BUDGET.error("%s has used up its budget for today.".formatted(owner));
    }

    public Optional<Cause> exceededBy(Owner owner, Ledger ledger) {
        if (equals(NONE)) return Optional.empty();
        var spent = ledger.spend().spentToday(owner);
        boolean over = maxTokens.filter(most -> spent.tokens() > most).isPresent()
                || maxCostMicros
                        .filter(most -> spent.costMicros().orElse(0L) > most)
                        .isPresent();
        return over ? Optional.of(Cause.BUDGET_DAY) : Optional.empty();
    }
}
