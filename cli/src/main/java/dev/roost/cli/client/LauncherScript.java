package dev.roost.cli.client;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Starts the daemon through the launcher, for bridges, which do not load {@link DaemonLauncher}. */
public final class LauncherScript {

    private LauncherScript() {}

    /** False if the daemon is not ready within {@code seconds}. */
    public static boolean start(int seconds) {
        String launcher = System.getProperty("roost.launcher");
        if (launcher == null) return false;
        try {
            var starting = new ProcessBuilder(launcher, "daemon", "start")
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .directory(Path.of("/").toFile())
                    .start();
            return starting.waitFor(seconds, TimeUnit.SECONDS) && starting.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
