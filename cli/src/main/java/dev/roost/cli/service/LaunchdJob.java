package dev.roost.cli.service;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The daemon as a launchd job on macOS. */
record LaunchdJob(Path userHome, Path launcher, Optional<Path> home, Optional<String> path)
        implements ServiceManagerUnit {

    private static final String BOOT_OUT = "launchctl bootout gui/$(id -u)/dev.roost";

    @Override
    public Path file() {
        return userHome.resolve("Library/LaunchAgents/dev.roost.plist");
    }

    @Override
    public String text() {
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- Written by `roost daemon install`. -->
            <plist version="1.0">
            <dict>
              <key>Label</key><string>dev.roost</string>
              <key>ProgramArguments</key>
              <array><string>%s</string><string>daemon</string><string>run</string></array>
              <key>EnvironmentVariables</key>
              <dict>%s%s</dict>
              <key>RunAtLoad</key><true/>
              <key>KeepAlive</key><true/>
              <!-- agents survive a stop of the daemon -->
              <key>AbandonProcessGroup</key><true/>
            </dict>
            </plist>
            """.formatted(
                escaped(launcher.toString()),
                path.map(value -> variable("PATH", value)).orElse(""), // launchd's PATH lacks Homebrew
                home.map(value -> variable("ROOST_HOME", value.toString())).orElse(""));
    }

    private static String variable(String name, String value) {
        return "<key>%s</key><string>%s</string>".formatted(name, escaped(value));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** Only prints the commands: they are untested on macOS. */
    @Override
    public ServiceResult enable(Runnable stopDaemon) {
        return ServiceResult.undone(
                "launchd starts it at your next login.",
                "To start it now: roost daemon stop; launchctl bootstrap gui/$(id -u) '%s'".formatted(file()));
    }

    /** Stops the job before its file is removed; launchd would restart it until the next login. */
    @Override
    public ServiceResult disable(Runnable remove) {
        var out = ServiceManagerCommand.run(List.of("/bin/sh", "-c", BOOT_OUT));
        remove.run();
        if (out.ok()) return ServiceResult.stopped();
        return ServiceResult.undone(
                "launchd did not stop the job, or has no such job: %s.".formatted(out.output()),
                "The job is gone after your next login. To stop it now: " + BOOT_OUT);
    }
}
