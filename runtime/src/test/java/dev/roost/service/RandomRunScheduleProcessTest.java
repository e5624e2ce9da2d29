package dev.roost.service;

import dev.roost.config.ProjectLookup;
import dev.roost.service.testing.RoostOpener;

/** Random schedules of a home outside a cluster. */
class RandomRunScheduleProcessTest extends RandomRunScheduleContract {

    @Override
    protected int usually() {
        return FULL ? 60 : 15;
    }

    @Override
    protected RoostOpener newLedger() {
        return (home, config, clock) -> RoostService.open(home, config, ProjectLookup.NONE, clock);
    }
}
