package dev.roost.chaos.promise;

/** The promises of SPEC.md that can be seen broken from outside, in its order. */
public enum Promise {
    ACCEPTED_IS_DURABLE(1),
    ONE_TRUTH(2),
    FIRST_END_WINS(3),
    ONE_COMMIT(4),
    DEAD_IS_NOT_DONE(5),
    READING_DESTROYS_NOTHING(6),
    NO_ROW_LIES(7),
    NO_ORPHANS(8),
    NO_WORK_THROWN_AWAY(9),
    YOURS_IS_YOURS(10),
    SLEEP_IS_NOT_A_STALL(11),
    NO_SURPRISE(12),
    BOUNDED(13);

    private final int number;

    Promise(int number) {
        this.number = number;
    }

    /** Its number in the contract. */
    public int number() {
        return number;
    }
}
