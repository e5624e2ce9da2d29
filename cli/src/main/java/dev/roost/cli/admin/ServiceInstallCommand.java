package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.service.ServiceFile;
import dev.roost.cli.service.ServiceManagerUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "install",
        description = {
            "Let systemd or launchd start the daemon at login, and restart it when it exits.",
            "Writes a user unit for systemd (on macOS: a launchd job), prints it and starts it."
        })
final class ServiceInstallCommand extends ClientCommand {

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
        var reply = service.enable(() -> DaemonCommand.stop(client));
        if (json) {
            var answer = params().put("file", service.file().toString()).put("started", reply.done());
            kept.ifPresent(path -> answer.put("kept", path.toString()));
            reply.sentences().forEach(answer.putArray("notes")::add);
            printJson(answer);
        } else {
            kept.ifPresent(path -> System.out.println("The previous file is kept as %s.".formatted(path)));
            System.out.println("Wrote %s:\n".formatted(service.file()));
            service.text().lines().forEach(line -> System.out.println(Style.dim(("  " + line).stripTrailing())));
            System.out.println();
            reply.sentences().forEach(System.out::println);
        }
        return reply.failed() ? CliError.FAILED : 0;
    }
}
