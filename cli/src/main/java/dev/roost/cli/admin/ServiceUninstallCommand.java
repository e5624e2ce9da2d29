package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.service.ServiceFile;
import dev.roost.cli.service.ServiceManagerUnit;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

@Command(
        name = "uninstall",
        description = "Undo `roost daemon install`. Agents continue, and commands start a daemon automatically again.")
final class ServiceUninstallCommand extends ClientCommand {

    @Override
    public int call(DaemonClient client) {
        var service = ServiceManagerUnit.ofThisMachine(invocation.environment());
        var file = new ServiceFile(service.file(), service.text());
        if (!file.exists()) {
            if (json) printJson(params().put("file", service.file().toString()).put("removed", false));
            else System.out.println("Not installed: %s does not exist.".formatted(service.file()));
            return 0;
        }
        var kept = new AtomicReference<@Nullable Path>();
        var reply = service.disable(() -> kept.set(file.remove().orElse(null)));
        if (json) {
            var answer = params().put("file", service.file().toString()).put("removed", true);
            if (kept.get() != null) answer.put("kept", String.valueOf(kept.get()));
            reply.sentences().forEach(answer.putArray("notes")::add);
            printJson(answer);
        } else {
            System.out.println("Removed %s.".formatted(service.file()));
            if (kept.get() != null)
                System.out.println("It had been edited, so it is kept as %s.".formatted(kept.get()));
            reply.sentences().forEach(System.out::println);
        }
        return reply.failed() ? CliError.FAILED : 0;
    }
}
