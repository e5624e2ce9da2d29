package dev.roost.house;

/** The days of a home that is alone. */
class ScheduleTest extends ScheduleContract {

    @Override
    protected int usually() {
        return FULL ? 60 : 15;
    }

    @Override
    protected Opening newLedger() {
        return (home, config, clock) -> House.open(home, config, Projects.NONE, clock);
    }
}
