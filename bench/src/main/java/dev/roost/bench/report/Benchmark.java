package dev.roost.bench.report;

import java.nio.file.Path;
import java.util.Optional;

/** A measurement, with its name on the command line. */
public interface Benchmark {

    void measure(Setting setting, BenchmarkReport benchmarkReport) throws Exception;

    /** {@code roost}: the launcher. {@code scratch}: an empty directory on a disk. {@code database}: a PostgreSQL, if one is available. */
    record Setting(String roost, Path scratch, boolean quick, Optional<String> database) {

        public int rounds(int most) {
            return quick ? Math.min(3, most) : most;
        }

        /** A smaller count in a quick measurement. */
        public int some(int many) {
            return quick ? Math.max(1, many / 5) : many;
        }
    }
}
