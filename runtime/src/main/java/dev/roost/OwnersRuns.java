package dev.roost;

import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.ledger.Query;
import dev.roost.run.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What an owner asks of the house. */
final class OwnersRuns implements Runs {

    private final House house;
    private final Caller caller;

    OwnersRuns(House house, String owner) {
        this.house = house;
        this.caller = new Caller(new Owner(owner), false);
    }

    @Override
    public Run start(Start start) {
        return shown(house.start(start.request(caller.owner())));
    }

    @Override
    public List<Run> runs(Which which) {
        var query = Query.of(
                switch (which) {
                    case ACTIVE -> Query.Which.ACTIVE;
                    case LIVE -> Query.Which.LIVE;
                    case UNREAD -> Query.Which.UNREAD;
                    case ALL -> Query.Which.ALL;
                });
        return house.list(query, caller).stream().map(this::shown).toList();
    }

    @Override
    public Run run(String run) {
        return shown(found(run));
    }

    @Override
    public Run await(String run, Duration timeout) {
        return shown(read(run, 0, dev.roost.house.Output.Until.END, timeout).run());
    }

    @Override
    public Output output(String run, long cursor) {
        var output = read(run, cursor, dev.roost.house.Output.Until.NOW, Duration.ZERO);
        if (output.attempt().status().ended())
            house.wasRead(output.run(), output.attempt().n(), caller);
        return new Output(shown(output.run()), output);
    }

    private dev.roost.house.Output read(String run, long cursor, dev.roost.house.Output.Until until, Duration timeout) {
        var request = new dev.roost.house.Output.Request(Optional.empty(), cursor, until, timeout);
        return house.output(found(run), request);
    }

    @Override
    public Run stop(String run) {
        return shown(house.stop(found(run), caller));
    }

    @Override
    public Run send(String run, String message) {
        return shown(house.send(found(run), message, caller));
    }

    @Override
    public List<Notice> inbox() {
        return house.inbox(Optional.empty(), caller).stream().map(Notice::new).toList();
    }

    @Override
    public void acknowledge(List<Notice> notices) {
        house.acknowledge(notices.stream().map(Notice::id).toList(), caller);
    }

    private dev.roost.ledger.Run found(String run) {
        return house.find(run, caller);
    }

    private Run shown(dev.roost.ledger.Run run) {
        return new Run(run, house.usage(run), house.outputFile(run));
    }
}
