package dev.roost.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A job of macOS's launchd. */
record LaunchAgent(Path userHome, Path launcher, Optional<Path> home) implements Service {

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
                %s  <key>RunAtLoad</key><true/>
                  <key>KeepAlive</key><true/>
                  <!-- the agents go on when the daemon stops -->
                  <key>AbandonProcessGroup</key><true/>
                </dict>
                </plist>
                """.formatted(
                        escaped(launcher),
                        home.map(path -> """
                                  <key>EnvironmentVariables</key>
                                  <dict><key>ROOST_HOME</key><string>%s</string></dict>
                                """.formatted(escaped(path))).orElse(""));
    }

    private static String escaped(Path path) {
        return path.toString().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** Said, not done: we have never tried it on a Mac. */
    @Override
    public Told enable(Runnable makeRoom) {
        return new Told(
                false,
                false,
                List.of(
                        "launchd starts it at your next login.",
                        "To start it now: roost daemon stop; launchctl bootstrap gui/$(id -u) '%s'".formatted(file())));
    }

    @Override
    public Told disable(Runnable remove) {
        remove.run();
        return new Told(
                false,
                false,
                List.of(
                        "launchd forgets it at your next login.",
                        "To stop it now: launchctl bootout gui/$(id -u)/dev.roost"));
    }
}
