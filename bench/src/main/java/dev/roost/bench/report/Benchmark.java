package dev.roost.bench.report;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A measurement, with its name on the command line. */
public interface Benchmark {

    void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception;

    interface Work {
        void run() throws Exception;
    }

    /** The duration in milliseconds. */
    static double millis(Work work) throws Exception {
        long began = System.nanoTime();
        work.run();
        return (System.nanoTime() - began) / 1e6;
    }

    /** Milliseconds since 1970, as {@code date +%s%N} of an agent tells them. */
    static double now() {
        var now = Instant.now();
        return now.getEpochSecond() * 1e3 + now.getNano() / 1e6;
    }

    /** {@code roost}: the launcher. {@code scratch}: an empty directory on a disk. {@code database}: a PostgreSQL, if one is available. */
    record Setting(String roost, Path scratch, boolean quick, Optional<String> database) {

        public String requiredDatabase() {
            return database.orElseThrow(() -> new IllegalStateException("needs PostgreSQL"));
        }

        public int rounds(int most) {
            return quick ? Math.min(3, most) : most;
        }

        /** A smaller count in a quick measurement. */
        public int some(int many) {
            return quick ? Math.max(1, many / 5) : many;
        }
    }
}
