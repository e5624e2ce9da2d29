package dev.roost.cluster.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.files.testing.FileStoreDatabase;
import dev.roost.cluster.testing.PostgresServer;
import dev.roost.home.AppendFile;
import dev.roost.home.Home;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uploads files of runs from the node that writes them to a node that reads them. */
class FileUploaderClusterTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final SharedFileName OUTPUT = SharedFileName.OUTPUT;

    @TempDir
    Path scratch;

    private final RunId run = RunId.create(Instant.parse("2026-11-15T12:00:00Z"));
    private FileStoreDatabase database;
    private PostgresFileStore sharedFiles;
    private Home here;
    private Home there;
    private FileUploader uploader;
    private SharedFileMirror sharedFileMirror;

    @BeforeEach
    void open() throws IOException {
        open(PostgresServer.shared());
    }

    private void open(PostgresServer postgres) throws IOException {
        if (database != null) close();
        database = FileStoreDatabase.on(postgres);
        sharedFiles = database.shelf();
        here = Home.open(scratch.resolve("here"));
        there = Home.open(scratch.resolve("there"));
        uploader = new FileUploader(sharedFiles, here, new SystemClock());
        sharedFileMirror = new SharedFileMirror(sharedFiles, there, _ -> false);
        here.run(run).create();
    }

    @AfterEach
    void close() {
        uploader.close();
        database.close();
    }

    @Test
    void output_of_a_run_is_readable_on_another_node() throws Exception {
        uploader.becomeWriter(run, 1, Map.of(OUTPUT, 0L, SharedFileName.TRANSCRIPT, 0L));
        print(OUTPUT, "one\n");
        await().atMost(SOON).until(() -> sharedFiles.length(run, OUTPUT) == 4);
        sharedFileMirror.download(run);
        print(OUTPUT, "two\n");
        print(SharedFileName.TRANSCRIPT, "{}\n");
        assertThat(uploader.flush(run, SOON)).isTrue();
        sharedFileMirror.download(run);

        assertThat(read(there, OUTPUT)).isEqualTo("one\ntwo\n");
        assertThat(read(there, SharedFileName.TRANSCRIPT)).isEqualTo("{}\n");
        assertThat(mode(there.run(run).output())).isEqualTo("rw-------");
        assertThat(mode(there.run(run).path())).isEqualTo("rwx------");
    }

    @Test
    void a_restarted_daemon_continues_uploading_at_its_saved_length_and_readers_follow() throws Exception {
        uploader.becomeWriter(run, 1, Map.of(OUTPUT, 0L));
        print(OUTPUT, "saved, and this was not");
        uploader.flush(run, SOON);
        sharedFileMirror.download(run);
        uploader.close();

        uploader = new FileUploader(sharedFiles, here, new SystemClock());
        try (var file = new AppendFile(here.run(run).output(), 6)) {
            uploader.becomeWriter(run, 1, Map.of(OUTPUT, file.length()));
            file.append(ByteBuffer.wrap(" but said otherwise".getBytes(UTF_8)));
        }
        uploader.flush(run, SOON);
        sharedFileMirror.download(run);

        assertThat(read(there, OUTPUT)).isEqualTo("saved, but said otherwise");
    }

    @Test
    void a_node_that_takes_over_continues_the_output_and_the_old_one_adds_nothing() throws Exception {
        uploader.becomeWriter(run, 1, Map.of(OUTPUT, 0L));
        print(OUTPUT, "first ");
        uploader.flush(run, SOON);

        sharedFiles.claimWriting(run, 2, Map.of());
        sharedFileMirror.download(run);
        print(OUTPUT, "late ");
        assertThat(uploader.flush(run, SOON)).isFalse();
        try (var taker = new FileUploader(sharedFiles, there, new SystemClock())) {
            long length = Files.size(there.run(run).output());
            sharedFileMirror.becomeWriter(run, () -> taker.becomeWriter(run, 2, Map.of(OUTPUT, length)));
            print(there, OUTPUT, "second");
            assertThat(taker.flush(run, SOON)).isTrue();
        }
        new SharedFileMirror(sharedFiles, here, _ -> false)
                .download(run); // whose own file has lines that were never uploaded

        assertThat(read(here, OUTPUT)).isEqualTo("first second");
    }

    @Test
    void endless_output_of_one_run_does_not_starve_other_runs() throws Exception {
        var quiet = RunId.create(Instant.parse("2026-11-15T12:00:01Z"));
        here.run(quiet).create();
        long endless = 1L << 40; // a sparse file
        resize(here.run(run).output(), endless);
        uploader.becomeWriter(run, 1, Map.of(OUTPUT, endless));
        uploader.becomeWriter(quiet, 1, Map.of(OUTPUT, 0L));
        uploader.outputGrew(run);
        await().atMost(SOON).until(() -> sharedFiles.length(run, OUTPUT) > 0);

        Files.writeString(here.run(quiet).output(), "a word");
        assertThat(uploader.flush(quiet, SOON)).isTrue();

        assertThat(sharedFiles.length(quiet, OUTPUT)).isEqualTo(6);
        uploader.close();
        long end = sharedFiles.length(run, OUTPUT) + (20 << 20);
        resize(here.run(run).output(), end);
        uploader = new FileUploader(sharedFiles, here, new SystemClock());
        uploader.becomeWriter(run, 1, Map.of(OUTPUT, end));
        assertThat(uploader.flush(run, SOON)).isTrue();
        assertThat(sharedFiles.length(run, OUTPUT)).isEqualTo(end);
    }

    private static void resize(Path path, long length) throws IOException {
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
    }

    @Test
    void files_are_uploaded_completely_after_an_outage_of_the_database() throws Exception {
        try (var postgres = PostgresServer.create()) {
            open(postgres);
            uploader.becomeWriter(run, 1, Map.of(OUTPUT, 0L));
            var expected = new StringBuilder();
            var chance = new Random(8);
            for (int i = 0; i < 40; i++) {
                var text = "%d %s\n".formatted(i, "x".repeat(chance.nextInt(20_000)));
                expected.append(text);
                print(OUTPUT, text);
                if (i % 10 == 3) uploader.flush(run, SOON);
                if (i % 10 == 5) postgres.kill();
                if (i % 10 == 7) {
                    assertThat(uploader.flush(run, Duration.ofMillis(200))).isFalse();
                    postgres.start();
                }
            }
            assertThat(uploader.flush(run, SOON)).isTrue();
            sharedFileMirror.download(run);

            assertThat(read(there, OUTPUT)).isEqualTo(expected.toString());
            close();
        }
    }

    @Test
    void whole_files_appear_under_their_names_only_when_complete() throws Exception {
        var name = new SharedFileName("1/result.md");
        sharedFiles.put(run, 1, name, new java.io.ByteArrayInputStream("first".getBytes(UTF_8)));
        sharedFileMirror.download(run);
        assertThat(read(there, name)).isEqualTo("first");
        sharedFiles.put(run, 1, name, new java.io.ByteArrayInputStream("second".getBytes(UTF_8)));
        sharedFileMirror.download(run);

        assertThat(read(there, name)).isEqualTo("second");
        assertThat(mode(there.run(run).path().resolve("1"))).isEqualTo("rwx------");
        assertThat(mode(there.run(run).path().resolve("1/result.md"))).isEqualTo("rw-------");
    }

    @Test
    void a_planted_symlink_is_not_followed() throws Exception {
        var target = Files.writeString(scratch.resolve("precious"), "precious");
        sharedFiles.append(run, 1, OUTPUT, 0, "text".getBytes(UTF_8));
        there.run(run).create();
        Files.delete(there.run(run).output());
        Files.createSymbolicLink(there.run(run).output(), target);

        sharedFileMirror.download(run);

        assertThat(target).hasContent("precious");
        assertThat(read(there, OUTPUT)).isEqualTo("text");
    }

    @Test
    void a_reader_never_sees_bytes_at_wrong_offsets() throws Exception {
        uploader.becomeWriter(run, 1, Map.of(OUTPUT, 0L));
        var line = "0123456789abcdef".repeat(64);
        var printing = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 500; i++) print(OUTPUT, line);
        });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var readers = List.of(threads.submit(this::bringAll), threads.submit(this::bringAll));
            printing.join();
            uploader.flush(run, SOON);
            for (var reader : readers) reader.get(); // throws what the reader found wrong
        }

        assertThat(read(there, OUTPUT)).isEqualTo(line.repeat(500));
    }

    private void bringAll() {
        try {
            var expected = "0123456789abcdef".repeat(64).repeat(500);
            long length = 0;
            long began = System.nanoTime();
            while (length < expected.length()) {
                assertThat(System.nanoTime() - began).as("upload time").isLessThan(SOON.toNanos());
                sharedFileMirror.download(run);
                if (!Files.exists(there.run(run).output())) continue;
                var text = Files.readString(there.run(run).output());
                assertThat(expected).startsWith(text);
                assertThat((long) text.length()).isGreaterThanOrEqualTo(length);
                length = text.length();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void print(SharedFileName name, String text) {
        print(here, name, text);
        uploader.outputGrew(run);
    }

    private void print(Home home, SharedFileName name, String text) {
        try {
            var path = home.run(run).path().resolve(name.text());
            try (var file = new AppendFile(path, Files.exists(path) ? Files.size(path) : 0)) {
                file.append(ByteBuffer.wrap(text.getBytes(UTF_8)));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String read(Home home, SharedFileName name) throws IOException {
        return Files.readString(home.run(run).path().resolve(name.text()));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
