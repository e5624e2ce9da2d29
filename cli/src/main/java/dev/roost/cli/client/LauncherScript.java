package dev.roost.cli.client;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Has the launcher start the daemon, from where nothing is loaded that could. */
public final class LauncherScript {

    private LauncherScript() {}

    /** False if it does not serve within so many seconds. */
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
