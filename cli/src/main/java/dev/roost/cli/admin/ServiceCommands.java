package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.service.ServiceFile;
import dev.roost.cli.service.ServiceManagerUnit;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** {@code roost daemon install} and {@code uninstall}. */
final class ServiceCommands {

    private ServiceCommands() {}

    @Command(
            name = "install",
            description = {
                "Let systemd or launchd start the daemon at login, and restart it when it exits.",
                "Writes a user unit for systemd (on macOS: a launchd job), prints it and starts it."
            })
    static final class Install extends ClientCommand {
        @Option(names = "--print", description = "only print the file")
        private boolean print;

        @Override
        public int call(DaemonClient client) {
            var service = ServiceManagerUnit.ofThisMachine(invocation.environment());
            if (print) {
                System.out.print(service.text());
                return 0;
            }
            var kept = new ServiceFile(service.file(), service.text()).write();
            var reply = service.enable(() -> client.shutdown());
            print(answer(service, "started", reply.done(), kept, reply.sentences()), _ -> {
                kept.ifPresent(path -> System.out.println("The previous file is kept as %s.".formatted(path)));
                System.out.println("Wrote %s:\n".formatted(service.file()));
                service.text().lines().forEach(line -> System.out.println(Style.dim(("  " + line).stripTrailing())));
                System.out.println();
                reply.sentences().forEach(System.out::println);
            });
            return reply.failed() ? CliError.FAILED : 0;
        }
    }

    @Command(
            name = "uninstall",
            description =
                    "Undo `roost daemon install`. Agents continue, and commands start a daemon automatically again.")
    static final class Uninstall extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            var service = ServiceManagerUnit.ofThisMachine(invocation.environment());
            var file = new ServiceFile(service.file(), service.text());
            if (!file.exists())
                return printLine(
                        params().put("file", service.file().toString()).put("removed", false),
                        "Not installed: %s does not exist.".formatted(service.file()));
            var kept = new AtomicReference<>(Optional.<Path>empty());
            var reply = service.disable(() -> kept.set(file.remove()));
            print(answer(service, "removed", true, kept.get(), reply.sentences()), _ -> {
                System.out.println("Removed %s.".formatted(service.file()));
                kept.get()
                        .ifPresent(
                                path -> System.out.println("It had been edited, so it is kept as %s.".formatted(path)));
                reply.sentences().forEach(System.out::println);
            });
            return reply.failed() ? CliError.FAILED : 0;
        }
    }

    private static ObjectNode answer(
            ServiceManagerUnit service, String done, boolean isDone, Optional<Path> kept, List<String> notes) {
        var answer =
                ClientCommand.params().put("file", service.file().toString()).put(done, isDone);
        kept.ifPresent(path -> answer.put("kept", path.toString()));
        notes.forEach(answer.putArray("notes")::add);
        return answer;
    }
}
