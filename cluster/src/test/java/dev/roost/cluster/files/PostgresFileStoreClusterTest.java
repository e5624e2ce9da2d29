package dev.roost.cluster.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.cluster.files.testing.FileStoreDatabase;
import dev.roost.cluster.testing.PostgresServer;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresFileStoreClusterTest {

    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final RunId RUN = RunId.create(NOW);
    private static final RunId OTHER = RunId.create(NOW);
    private static final SharedFileName OUTPUT = SharedFileName.OUTPUT;

    private final FileStoreDatabase database = FileStoreDatabase.create();
    private final PostgresFileStore sharedFiles = database.shelf();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void appended_bytes_are_readable_from_any_offset() {
        sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("one "));
        sharedFiles.append(RUN, 1, OUTPUT, 4, bytes("two "));
        sharedFiles.append(RUN, 1, OUTPUT, 8, bytes("three"));

        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one two three");
        assertThat(text(OUTPUT, 2, 5)).isEqualTo("e two");
        assertThat(text(OUTPUT, 13, 5)).isEmpty();
        assertThat(sharedFiles.length(RUN, OUTPUT)).isEqualTo(13);
        assertThat(sharedFiles.length(OTHER, OUTPUT)).isZero();
    }

    @Test
    void a_repeated_range_changes_nothing_and_an_overlapping_one_adds_its_rest() {
        sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("one two"));

        assertThat(sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("one"))).isEqualTo(new ChunkResult.Stored(7));
        assertThat(sharedFiles.append(RUN, 1, OUTPUT, 4, bytes("two three"))).isEqualTo(new ChunkResult.Stored(13));

        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one two three");
    }

    @Test
    void a_gap_is_refused() {
        sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("one"));

        assertThat(sharedFiles.append(RUN, 1, OUTPUT, 5, bytes("x"))).isEqualTo(new ChunkResult.MissingBytes(3));
        assertThat(sharedFiles.append(OTHER, 1, OUTPUT, 5, bytes("x"))).isEqualTo(new ChunkResult.MissingBytes(0));
        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one");
    }

    @Test
    void many_runs_grow_in_one_commit_with_one_result_each() {
        sharedFiles.append(OTHER, 2, OUTPUT, 0, bytes("x"));

        var answers = sharedFiles.append(List.of(
                new FileChunk(RUN, 1, OUTPUT, 0, bytes("one ")),
                new FileChunk(OTHER, 1, OUTPUT, 1, bytes("late")),
                new FileChunk(RUN, 1, OUTPUT, 4, bytes("two")),
                new FileChunk(RUN, 1, SharedFileName.TRANSCRIPT, 0, bytes("{}"))));

        assertThat(answers)
                .containsExactly(
                        new ChunkResult.Stored(4),
                        new ChunkResult.SupersededWriter(),
                        new ChunkResult.Stored(7),
                        new ChunkResult.Stored(2));
        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one two");
    }

    @Test
    void a_restarted_daemon_truncates_unconfirmed_bytes() {
        sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("confirmed, never confirmed"));
        sharedFiles.append(RUN, 1, SharedFileName.TRANSCRIPT, 0, bytes("{}"));

        var lengths = sharedFiles.claimWriting(RUN, 1, Map.of(OUTPUT, 10L, SharedFileName.TRANSCRIPT, 50L));
        sharedFiles.append(RUN, 1, OUTPUT, 10, bytes(" again"));

        assertThat(lengths).contains(Map.of(OUTPUT, 10L, SharedFileName.TRANSCRIPT, 2L));
        assertThat(sharedFiles.find(RUN, OUTPUT)).contains(new SharedFile(OUTPUT, false, 2, 10, 16));
        assertThat(sharedFiles.find(RUN, SharedFileName.TRANSCRIPT))
                .contains(new SharedFile(SharedFileName.TRANSCRIPT, false, 1, 0, 2));
        assertThat(text(OUTPUT, 0, 100)).isEqualTo("confirmed, again");
    }

    @Test
    void an_attempt_that_was_taken_over_appends_nothing() throws IOException {
        sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("one"));

        assertThat(sharedFiles.claimWriting(RUN, 2, Map.of())).contains(Map.of(OUTPUT, 3L));

        assertThat(sharedFiles.append(RUN, 1, OUTPUT, 3, bytes("late"))).isEqualTo(new ChunkResult.SupersededWriter());
        assertThat(sharedFiles.append(RUN, 1, SharedFileName.result(1), 0, bytes("late")))
                .isEqualTo(new ChunkResult.SupersededWriter());
        assertThat(sharedFiles.put(RUN, 1, new SharedFileName("session.jsonl"), input("late")))
                .isEmpty();
        assertThat(sharedFiles.claimWriting(RUN, 1, Map.of(OUTPUT, 0L))).isEmpty();
        assertThat(sharedFiles.list(RUN)).containsExactly(new SharedFile(OUTPUT, false, 1, 0, 3));
    }

    @Test
    void an_attempt_that_was_taken_over_appends_nothing_even_before_the_next_attempt_starts() throws IOException {
        sharedFiles.append(RUN, 2, OUTPUT, 0, bytes("one"));

        database.use(handle -> SharedFileRows.fence(handle, RUN, 3));

        assertThat(sharedFiles.append(RUN, 2, OUTPUT, 3, bytes("late"))).isEqualTo(new ChunkResult.SupersededWriter());
        assertThat(sharedFiles.put(RUN, 2, SharedFileName.CONVERSATION, input("late")))
                .isEmpty();
        assertThat(sharedFiles.claimWriting(RUN, 3, Map.of()))
                .as("its last lines")
                .isPresent();
        assertThat(sharedFiles.claimWriting(RUN, 4, Map.of()))
                .as("the next attempt")
                .isPresent();
    }

    @Test
    void a_node_suspended_in_a_transaction_does_not_block_a_takeover() throws Exception {
        sharedFiles.append(RUN, 1, OUTPUT, 0, bytes("one"));
        try (var stopped = PostgresServer.connect(database.url());
                var statement = stopped.createStatement()) {
            stopped.setAutoCommit(false);
            statement.execute("UPDATE shelf_stream SET length = 7");
            statement.execute("SELECT * FROM shelf_run FOR UPDATE");

            assertThat(sharedFiles.claimWriting(RUN, 2, Map.of())).contains(Map.of(OUTPUT, 3L));

            assertThatThrownBy(stopped::commit).isInstanceOf(SQLException.class);
        }
        assertThat(sharedFiles.length(RUN, OUTPUT)).isEqualTo(3);
    }

    @Test
    void large_content_is_read_back_unchanged_for_any_sizes_and_truncations() {
        var chance = new Random(8);
        for (int round = 0; round < 6; round++) {
            var run = RunId.create(NOW);
            var expected = new ByteArrayOutputStream();
            for (int i = 0; i < 60; i++) {
                int size = chance.nextInt(8) == 0 ? chance.nextInt(700_000) : 1 + chance.nextInt(3_000);
                var piece = new byte[size];
                if (chance.nextBoolean()) chance.nextBytes(piece);
                sharedFiles.append(run, 1, OUTPUT, expected.size(), piece);
                expected.writeBytes(piece);
                if (chance.nextInt(10) == 0) {
                    int cut = chance.nextInt(expected.size() + 1);
                    sharedFiles.claimWriting(run, 1, Map.of(OUTPUT, (long) cut));
                    var kept = java.util.Arrays.copyOf(expected.toByteArray(), cut);
                    expected.reset();
                    expected.writeBytes(kept);
                }
            }
            var file = sharedFiles.find(run, OUTPUT).orElseThrow();
            assertThat(file.length()).isEqualTo(expected.size());
            var all = new ByteArrayOutputStream();
            while (all.size() < file.length()) {
                all.writeBytes(sharedFiles
                        .read(run, OUTPUT, file.version(), all.size(), 1 + chance.nextInt(900_000))
                        .orElseThrow());
            }
            assertThat(all.toByteArray()).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void many_small_appends_are_merged_into_few_rows() {
        long length = 0;
        for (int i = 0; i < 200; i++) {
            var line = bytes("line %d of the output\n".formatted(i));
            sharedFiles.append(RUN, 1, OUTPUT, length, line);
            length += line.length;
        }

        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isLessThan(30);
        assertThat(text(OUTPUT, 0, 1 << 20)).startsWith("line 0 of").endsWith("line 199 of the output\n");
    }

    @Test
    void a_whole_file_is_replaced_atomically_and_its_old_version_is_not_readable() throws IOException {
        var name = new SharedFileName("session.jsonl");
        var big = new byte[3_000_000];
        new Random(8).nextBytes(big);

        assertThat(sharedFiles.put(RUN, 1, name, input("first"))).contains(1L);
        assertThat(sharedFiles.put(RUN, 1, name, new ByteArrayInputStream(big))).contains(2L);

        assertThat(sharedFiles.find(RUN, name)).contains(new SharedFile(name, true, 2, 0, big.length));
        assertThat(sharedFiles.read(RUN, name, 2, 0, big.length))
                .hasValueSatisfying(all -> assertThat(all).isEqualTo(big));
        assertThat(sharedFiles.read(RUN, name, 1, 0, 10)).isEmpty();
        assertThat(sharedFiles.put(RUN, 1, name, input(""))).contains(3L);
        assertThat(sharedFiles.read(RUN, name, 3, 0, 10))
                .hasValueSatisfying(all -> assertThat(all).isEmpty());
        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isZero();
    }

    @Test
    void an_interrupted_put_is_invisible_and_can_be_repeated() throws IOException {
        var name = new SharedFileName("session.jsonl");
        sharedFiles.put(RUN, 1, name, input("first"));
        var breaking =
                new java.io.SequenceInputStream(new ByteArrayInputStream(new byte[2_500_000]), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("the disk is gone");
                    }

                    @Override
                    public int read(byte[] into, int from, int length) throws IOException {
                        throw new IOException("the disk is gone");
                    }
                });

        assertThatThrownBy(() -> sharedFiles.put(RUN, 1, name, breaking)).hasMessage("the disk is gone");

        assertThat(sharedFiles.list(RUN)).containsExactly(new SharedFile(name, true, 1, 0, 5));
        assertThat(sharedFiles.put(RUN, 1, name, input("second"))).contains(2L);
        assertThat(text(name, 0, 100)).isEqualTo("second");
        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isEqualTo(1);
    }

    @Test
    void only_files_of_pruned_runs_are_deleted() {
        for (var run : List.of(RUN, OTHER)) sharedFiles.append(run, 1, OUTPUT, 0, bytes("text"));
        assertThat(sharedFiles.deletePruned()).isZero();
        database.execute("UPDATE shelf_run SET gone = TRUE WHERE run_id = '%s'".formatted(RUN));

        assertThat(sharedFiles.deletePruned()).isEqualTo(1);

        assertThat(sharedFiles.list(RUN)).isEmpty();
        assertThat(sharedFiles.length(OTHER, OUTPUT)).isEqualTo(4);
        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isEqualTo(1);
    }

    @Test
    void file_names_cannot_escape_their_directory() {
        for (var bad : List.of("../x", "/etc/passwd", "a//b", "", ".", "..", "a/../b", "x~", "a b", ".hidden"))
            assertThatThrownBy(() -> new SharedFileName(bad)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Optional.of(new SharedFileName("12/result.md"))).isPresent();
    }

    private String text(SharedFileName name, long from, int most) {
        var file = sharedFiles.find(RUN, name).orElseThrow();
        return new String(
                sharedFiles.read(RUN, name, file.version(), from, most).orElseThrow(), UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static InputStream input(String text) {
        return new ByteArrayInputStream(bytes(text));
    }
}
