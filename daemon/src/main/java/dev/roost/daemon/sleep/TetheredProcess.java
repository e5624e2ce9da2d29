package dev.roost.daemon.sleep;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that ends with the daemon, even if that is killed: a shell waits for the end of an input that only it holds. */
final class TetheredProcess implements AutoCloseable {

    // the shell closes its copy of the output, so the output ends when the program ends
    private static final String SHELL = """
            "$@" </dev/null 2>/dev/null &
            child=$!
            trap 'kill -9 "$child" 2>/dev/null; exit' HUP INT TERM
            exec >&- 2>&-
            while read -r _; do :; done
            kill -9 "$child"
            """;
    private static final long TIMEOUT_SECONDS = 2;

    private final Process shell;

    private TetheredProcess(Process shell) {
        this.shell = shell;
    }

    static TetheredProcess start(SystemBus systemBus, List<String> program) throws IOException {
        var words = new ArrayList<>(List.of("/bin/sh", "-c", SHELL, "sh"));
        words.addAll(program);
        return new TetheredProcess(systemBus.start(words));
    }

    BufferedReader lines() {
        return shell.inputReader();
    }

    @Override
    public void close() {
        end(shell);
    }

    /** Closes the process's input, which should end it; kills it after a timeout. */
    static void end(Process process) {
        try {
            process.getOutputStream().close();
            if (process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) return;
        } catch (IOException e) {
            // nothing had to be written
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
