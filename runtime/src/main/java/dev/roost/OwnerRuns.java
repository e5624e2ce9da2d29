package dev.roost;

import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The runs of one owner, through the runtime service. */
final class OwnerRuns implements Runs {

    private final RoostService service;
    private final Caller caller;

    OwnerRuns(RoostService service, String owner) {
        this.service = service;
        this.caller = new Caller(new Owner(owner), false);
    }

    @Override
    public Run start(RunRequest start) {
        return shown(service.start(start.request(caller.owner())));
    }

    @Override
    public List<Run> runs(Selection selection) {
        var query = RunQuery.of(
                switch (selection) {
                    case ACTIVE -> RunQuery.StatusFilter.ACTIVE;
                    case LIVE -> RunQuery.StatusFilter.LIVE;
                    case UNREAD -> RunQuery.StatusFilter.UNREAD;
                    case ALL -> RunQuery.StatusFilter.ALL;
                });
        return service.list(query, caller).stream().map(this::shown).toList();
    }

    @Override
    public Run run(String run) {
        return shown(found(run));
    }

    @Override
    public Run await(String run, Duration timeout) {
        return shown(read(run, 0, OutputPage.WaitMode.END, timeout).run());
    }

    @Override
    public Output output(String run, long cursor) {
        var output = read(run, cursor, OutputPage.WaitMode.NOW, Duration.ZERO);
        service.markRead(output, caller);
        return new Output(shown(output.run()), output);
    }

    private OutputPage read(String run, long cursor, OutputPage.WaitMode until, Duration timeout) {
        var request = new OutputPage.Request(Optional.empty(), cursor, until, timeout);
        return service.output(found(run), request);
    }

    @Override
    public Run stop(String run) {
        return shown(service.stop(found(run), caller));
    }

    @Override
    public Run send(String run, String message) {
        return shown(service.send(found(run), message, caller));
    }

    @Override
    public List<Notice> inbox() {
        return service.inbox(Optional.empty(), caller).stream().map(Notice::new).toList();
    }

    @Override
    public void acknowledge(List<Notice> notices) {
        service.acknowledge(notices.stream().map(Notice::id).toList(), caller);
    }

    private RunRecord found(String run) {
        return service.find(run, caller);
    }

    private Run shown(RunRecord run) {
        return new Run(run, service.usage(run), service.outputFile(run));
    }
}
