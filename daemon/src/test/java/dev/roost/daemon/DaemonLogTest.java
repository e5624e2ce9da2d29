package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.config.LogFormat;
import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.home.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A daemon may talk for months; its log stays small, and keeps the newest. */
class DaemonLogTest {

    @TempDir
    Path scratch;

    @AfterEach
    void closeLog() {
        for (var handler : Logger.getLogger("").getHandlers()) handler.close();
    }

    @Test
    void the_log_is_rotated_and_limited_to_five_files() throws IOException {
        var home = Home.open(scratch.resolve("home"));
        DaemonLog.open(home, LogFormat.TEXT);
        var line = "x".repeat(10_000);
        for (int i = 0; i < 4_000; i++) Logger.getLogger("dev.roost.test").info(i + " " + line);
        try (var files = Files.list(home.logs())) {
            var logs = files.filter(file -> file.toString().endsWith(".log")).toList();
            assertThat(logs).hasSize(5);
            assertThat(logs.stream().mapToLong(DaemonLogTest::size).sum()).isLessThan(26 << 20);
        }
        assertThat(Files.readString(home.logs().resolve("daemon.0.log"))).contains("3999 xxx");
        var all = new StringBuilder();
        for (int i = 0; i < 5; i++) all.append(Files.readString(home.logs().resolve("daemon." + i + ".log")));
        assertThat(all.toString()).doesNotContain("INFO 0 x").contains("INFO 2500 x");
        assertThat(Arrays.stream(Logger.getLogger("").getHandlers())).hasSize(1);
    }

    @Test
    void a_json_log_has_one_object_a_line_with_run_and_error_fields() throws IOException {
        var home = Home.open(scratch.resolve("home"));
        DaemonLog.open(home, LogFormat.JSON);
        var said = Logger.getLogger("dev.roost.attempt.AttemptLoop");
        said.log(Level.SEVERE, "r_0smdmenf8z0w/1: will look\nagain \"soon\"", new IOException("no space\nleft"));
        said.info("serving");
        var lines = Files.readAllLines(home.logs().resolve("daemon.0.log")).stream()
                .map(DaemonFixture.JSON::readTree)
                .toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst().path("run_id").asString()).isEqualTo("r_0smdmenf8z0w");
        assertThat(lines.getFirst().path("level").asString()).isEqualTo("SEVERE");
        assertThat(lines.getFirst().path("logger").asString()).isEqualTo("dev.roost.attempt.AttemptLoop");
        assertThat(lines.getFirst().path("message").asString()).contains("look\nagain \"soon\"");
        assertThat(lines.getFirst().path("error").asString()).startsWith("java.io.IOException: no space");
        assertThat(Instant.parse(lines.getLast().path("at").asString())).isNotNull();
        assertThat(lines.getLast().propertyNames()).containsExactlyInAnyOrder("at", "level", "logger", "message");
    }

    @Test
    void a_warning_of_a_library_is_in_the_log_and_its_chatter_is_not() throws IOException {
        var home = Home.open(scratch.resolve("home"));
        DaemonLog.open(home, LogFormat.TEXT);
        for (var name : List.of("com.zaxxer.hikari.pool.HikariPool", "com.github.kagkarlsson.scheduler.Scheduler")) {
            var library = LoggerFactory.getLogger(name);
            library.warn("{} is unreachable", "host");
            library.info("{} has started", "pool");
        }
        Logger.getLogger("org.flywaydb.core").info("Flyway has started");
        assertThat(Files.readAllLines(home.logs().resolve("daemon.0.log")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .endsWith("WARNING com.zaxxer.hikari.pool.HikariPool: host is unreachable"),
                        line -> assertThat(line)
                                .endsWith("WARNING com.github.kagkarlsson.scheduler.Scheduler: host is unreachable"));
    }

    @Test
    void the_same_record_of_a_library_is_written_once_a_minute_and_every_line_of_roost() {
        var filter = new LibraryLogFilter();
        var start = Instant.parse("2026-11-19T20:00:00Z");
        var written = new ArrayList<Integer>();
        for (int second = 0; second < 130; second++) {
            var pool = record("com.zaxxer.hikari", "connection PgConnection@%x is dead".formatted(second * 7919));
            pool.setInstant(start.plusSeconds(second));
            if (filter.isLoggable(pool)) written.add(second);
        }
        assertThat(written).containsExactly(0, 60, 120);
        assertThat(filter.isLoggable(record("com.zaxxer.hikari", "another message")))
                .isTrue();
        for (int i = 0; i < 3; i++)
            assertThat(filter.isLoggable(record("dev.roost.daemon", "a line"))).isTrue();
    }

    private static LogRecord record(String logger, String message) {
        var record = new LogRecord(Level.WARNING, message);
        record.setLoggerName(logger);
        return record;
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
