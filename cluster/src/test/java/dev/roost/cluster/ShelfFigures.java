package dev.roost.cluster;

import dev.roost.run.RunId;
import dev.roost.shelf.Mirror;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.SavedFile;
import dev.roost.supervisor.SystemClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Prints what the shelf costs: {@code ShelfFigures <directory with text> [seconds]}. Not a test. */
final class ShelfFigures {

    private static final int RUNS = 100;
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final ShelfDatabase database = ShelfDatabase.create();
    private final PostgresShelf shelf = database.shelf();
    private final SystemClock clock = new SystemClock();
    private final Home home;
    private final Home other;
    private final byte[] text;

    private ShelfFigures(Path scratch, byte[] text) {
        this.home = Home.open(scratch.resolve("here"));
        this.other = Home.open(scratch.resolve("there"));
        this.text = text;
    }

    public static void main(String[] arguments) throws Exception {
        var text = new ByteArrayOutputStream();
        try (var files = Files.walk(Path.of(arguments[0]))) {
            for (var file : files.filter(one -> one.toString().matches(".*\\.(md|java)"))
                    .sorted()
                    .toList()) text.writeBytes(Files.readAllBytes(file));
        }
        System.out.printf("text: %.1f MB, again and again%n", text.size() / 1e6);
        while (text.size() < 8 << 20) text.writeBytes(text.toByteArray());
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
        for (int hogs : new int[] {0, 1}) {
            var scratch = Files.createTempDirectory("roost-figures-");
            new ShelfFigures(scratch, text.toByteArray()).lag(seconds, hogs);
            clear(scratch);
        }
        for (int runs : new int[] {1, 16}) {
            var scratch = Files.createTempDirectory("roost-figures-");
            new ShelfFigures(scratch, text.toByteArray()).throughput(runs, 256 << 20);
            clear(scratch);
        }
        System.exit(0);
    }

    private static void clear(Path scratch) throws IOException {
        new dev.roost.supervisor.RunDirectory(scratch).delete();
    }

    private record Said(long length, long at) {}

    /** 100 runs that print a line of text ten times a second; hogs print 50 MB/s beside them. */
    private void lag(int seconds, int hogs) throws Exception {
        var said = new ConcurrentHashMap<RunId, ConcurrentLinkedDeque<Said>>();
        long until = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(seconds);
        var hogged = new long[1];
        var work = new ArrayList<Future<?>>();
        try (var shipper = new Shipper(shelf, home, clock);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < RUNS; i++) {
                var run = begin(shipper);
                said.put(run, new ConcurrentLinkedDeque<>());
                int seed = i * 7919;
                work.add(threads.submit(() -> print(shipper, run, seed, 100, 100_000_000L, until, said.get(run))));
            }
            for (int i = 0; i < hogs; i++) {
                var run = begin(shipper);
                work.add(threads.submit(
                        () -> print(shipper, run, 0, 1 << 20, 20_000_000L, until, new ConcurrentLinkedDeque<>())));
                work.add(threads.submit(() -> {
                    while (clock.monotonicNanos() < until) TimeUnit.MILLISECONDS.sleep(50);
                    hogged[0] = shelf.length(run, ShelfName.OUTPUT);
                    return null;
                }));
            }
            var lags = new ArrayList<Long>();
            threads.submit(() -> watch(said, until + TimeUnit.SECONDS.toNanos(3), lags))
                    .get();
            for (var one : work) one.get();
            lags.sort(null);
            System.out.printf(
                    "%d runs, %d hogs, %d s: %d lines, lag p50 %d ms, p99 %d ms, max %d ms%s%n",
                    RUNS,
                    hogs,
                    seconds,
                    lags.size(),
                    at(lags, 0.5),
                    at(lags, 0.99),
                    at(lags, 1),
                    hogs == 0 ? "" : ", the hog's %.1f MB/s".formatted(hogged[0] / 1e6 / seconds));
        }
        if (hogs == 0) sizes();
    }

    private static long at(List<Long> sorted, double part) {
        return sorted.get((int) Math.min(sorted.size() - 1, part * sorted.size())) / 1_000_000;
    }

    private RunId begin(Shipper shipper) throws IOException {
        var run = RunId.create(clock.now());
        home.run(run).create();
        shipper.lead(run, 1, Map.of(ShelfName.OUTPUT, 0L));
        return run;
    }

    private Void print(
            Shipper shipper, RunId run, int seed, int size, long pause, long until, ConcurrentLinkedDeque<Said> said)
            throws Exception {
        try (var file = new SavedFile(home.run(run).output(), 0)) {
            long from = clock.monotonicNanos() + WARM_UP.toNanos();
            long next = clock.monotonicNanos() + seed * 1000L % pause;
            for (int at = seed % text.length; clock.monotonicNanos() < until; at = (at + size) % (text.length - size)) {
                long wait = next - clock.monotonicNanos();
                if (wait > 0) TimeUnit.NANOSECONDS.sleep(wait);
                next += pause;
                file.append(ByteBuffer.wrap(text, at, size));
                if (clock.monotonicNanos() > from) said.add(new Said(file.length(), clock.monotonicNanos()));
                shipper.grew(run);
            }
        }
        return null;
    }

    /** Looks every 20 ms at how much is there, as any other node would. */
    private Void watch(Map<RunId, ConcurrentLinkedDeque<Said>> said, long until, List<Long> lags) throws Exception {
        try (var connection = RealPostgres.connect(database.url());
                var query = connection.prepareStatement("SELECT run_id, length FROM shelf_stream")) {
            while (clock.monotonicNanos() < until) {
                var lengths = new HashMap<String, Long>();
                try (var rows = query.executeQuery()) {
                    while (rows.next()) lengths.put(rows.getString(1), rows.getLong(2));
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
                long now = clock.monotonicNanos();
                said.forEach((run, lines) -> {
                    long length = lengths.getOrDefault(run.text(), 0L);
                    for (var line = lines.peek(); line != null && line.length() <= length; line = lines.peek()) {
                        lags.add(now - line.at());
                        lines.poll();
                    }
                });
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        long lost = said.values().stream().mapToInt(ConcurrentLinkedDeque::size).sum();
        if (lost > 0) throw new AssertionError(lost + " lines never arrived");
        return null;
    }

    private void throughput(int runs, int size) throws Exception {
        try (var shipper = new Shipper(shelf, home, clock)) {
            var all = new ArrayList<RunId>();
            for (int i = 0; i < runs; i++) {
                var run = begin(shipper);
                all.add(run);
                try (var file = new SavedFile(home.run(run).output(), 0)) {
                    while (file.length() < size / runs) file.append(ByteBuffer.wrap(text));
                }
            }
            long bytes = 0;
            for (var run : all) bytes += Files.size(home.run(run).output());
            long began = clock.monotonicNanos();
            all.forEach(shipper::grew);
            for (var run : all) shipper.flush(run, LONG);
            System.out.printf("%d runs, %.0f MB: sent %.1f MB/s", runs, bytes / 1e6, rate(bytes, began));
            began = clock.monotonicNanos();
            var mirror = new Mirror(shelf, other, _ -> false);
            for (var run : all) mirror.bring(run);
            System.out.printf(", brought %.1f MB/s%n", rate(bytes, began));
            for (var run : all)
                if (Files.mismatch(home.run(run).output(), other.run(run).output()) >= 0)
                    throw new AssertionError(run + " came back differently");
        }
        sizes();
    }

    private double rate(long bytes, long began) {
        return bytes / 1e6 / ((clock.monotonicNanos() - began) / 1e9);
    }

    private void sizes() {
        double raw = database.count("SELECT sum(length) FROM shelf_stream");
        long table = database.count("SELECT pg_total_relation_size('shelf_chunk')");
        long chunks = database.count("SELECT count(*) FROM shelf_chunk");
        long live = database.count("SELECT sum(pg_column_size(c.*)) FROM shelf_chunk c");
        System.out.printf(
                "    %.1f MB of text in %d chunks: %.0f kB in the table for each MB, of which live rows %.0f kB%n",
                raw / 1e6, chunks, table / 1e3 / (raw / 1e6), live / 1e3 / (raw / 1e6));
    }
}
