package dev.roost.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.run.RunId;
import dev.roost.shelf.Answer;
import dev.roost.shelf.Kept;
import dev.roost.shelf.Piece;
import dev.roost.shelf.ShelfName;
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

class ShelfTest {

    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final RunId RUN = RunId.create(NOW);
    private static final RunId OTHER = RunId.create(NOW);
    private static final ShelfName OUTPUT = ShelfName.OUTPUT;

    private final ShelfDatabase database = ShelfDatabase.create();
    private final PostgresShelf shelf = database.shelf();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void what_was_appended_is_read_from_anywhere_in_it() {
        shelf.append(RUN, 1, OUTPUT, 0, bytes("one "));
        shelf.append(RUN, 1, OUTPUT, 4, bytes("two "));
        shelf.append(RUN, 1, OUTPUT, 8, bytes("three"));

        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one two three");
        assertThat(text(OUTPUT, 2, 5)).isEqualTo("e two");
        assertThat(text(OUTPUT, 13, 5)).isEmpty();
        assertThat(shelf.length(RUN, OUTPUT)).isEqualTo(13);
        assertThat(shelf.length(OTHER, OUTPUT)).isZero();
    }

    @Test
    void a_range_that_is_there_changes_nothing_and_one_that_overlaps_adds_its_rest() {
        shelf.append(RUN, 1, OUTPUT, 0, bytes("one two"));

        assertThat(shelf.append(RUN, 1, OUTPUT, 0, bytes("one"))).isEqualTo(new Answer.There(7));
        assertThat(shelf.append(RUN, 1, OUTPUT, 4, bytes("two three"))).isEqualTo(new Answer.There(13));

        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one two three");
    }

    @Test
    void a_gap_is_refused() {
        shelf.append(RUN, 1, OUTPUT, 0, bytes("one"));

        assertThat(shelf.append(RUN, 1, OUTPUT, 5, bytes("x"))).isEqualTo(new Answer.Gap(3));
        assertThat(shelf.append(OTHER, 1, OUTPUT, 5, bytes("x"))).isEqualTo(new Answer.Gap(0));
        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one");
    }

    @Test
    void many_runs_grow_in_one_commit_each_with_its_own_answer() {
        shelf.append(OTHER, 2, OUTPUT, 0, bytes("x"));

        var answers = shelf.append(List.of(
                new Piece(RUN, 1, OUTPUT, 0, bytes("one ")),
                new Piece(OTHER, 1, OUTPUT, 1, bytes("late")),
                new Piece(RUN, 1, OUTPUT, 4, bytes("two")),
                new Piece(RUN, 1, ShelfName.TRANSCRIPT, 0, bytes("{}"))));

        assertThat(answers)
                .containsExactly(new Answer.There(4), new Answer.Fenced(), new Answer.There(7), new Answer.There(2));
        assertThat(text(OUTPUT, 0, 100)).isEqualTo("one two");
    }

    @Test
    void a_daemon_that_comes_back_cuts_off_what_was_not_confirmed() {
        shelf.append(RUN, 1, OUTPUT, 0, bytes("confirmed, never confirmed"));
        shelf.append(RUN, 1, ShelfName.TRANSCRIPT, 0, bytes("{}"));

        var lengths = shelf.take(RUN, 1, Map.of(OUTPUT, 10L, ShelfName.TRANSCRIPT, 50L));
        shelf.append(RUN, 1, OUTPUT, 10, bytes(" again"));

        assertThat(lengths).contains(Map.of(OUTPUT, 10L, ShelfName.TRANSCRIPT, 2L));
        assertThat(shelf.find(RUN, OUTPUT)).contains(new Kept(OUTPUT, false, 2, 10, 16));
        assertThat(shelf.find(RUN, ShelfName.TRANSCRIPT)).contains(new Kept(ShelfName.TRANSCRIPT, false, 1, 0, 2));
        assertThat(text(OUTPUT, 0, 100)).isEqualTo("confirmed, again");
    }

    @Test
    void an_attempt_that_was_taken_over_adds_nothing() throws IOException {
        shelf.append(RUN, 1, OUTPUT, 0, bytes("one"));

        assertThat(shelf.take(RUN, 2, Map.of())).contains(Map.of(OUTPUT, 3L));

        assertThat(shelf.append(RUN, 1, OUTPUT, 3, bytes("late"))).isEqualTo(new Answer.Fenced());
        assertThat(shelf.append(RUN, 1, ShelfName.result(1), 0, bytes("late"))).isEqualTo(new Answer.Fenced());
        assertThat(shelf.put(RUN, 1, new ShelfName("session.jsonl"), input("late")))
                .isEmpty();
        assertThat(shelf.take(RUN, 1, Map.of(OUTPUT, 0L))).isEmpty();
        assertThat(shelf.list(RUN)).containsExactly(new Kept(OUTPUT, false, 1, 0, 3));
    }

    @Test
    void an_attempt_that_was_taken_over_adds_nothing_though_nobody_has_begun_the_next() throws IOException {
        shelf.append(RUN, 2, OUTPUT, 0, bytes("one"));

        database.use(handle -> ShelfRows.fence(handle, RUN, 3));

        assertThat(shelf.append(RUN, 2, OUTPUT, 3, bytes("late"))).isEqualTo(new Answer.Fenced());
        assertThat(shelf.put(RUN, 2, ShelfName.CONVERSATION, input("late"))).isEmpty();
        assertThat(shelf.take(RUN, 3, Map.of())).as("its last lines").isPresent();
        assertThat(shelf.take(RUN, 4, Map.of())).as("the next attempt").isPresent();
    }

    @Test
    void a_node_that_stopped_in_the_middle_of_a_transaction_keeps_nobody_from_taking_over() throws Exception {
        shelf.append(RUN, 1, OUTPUT, 0, bytes("one"));
        try (var stopped = RealPostgres.connect(database.url());
                var statement = stopped.createStatement()) {
            stopped.setAutoCommit(false);
            statement.execute("UPDATE shelf_stream SET length = 7");
            statement.execute("SELECT * FROM shelf_run FOR UPDATE");

            assertThat(shelf.take(RUN, 2, Map.of())).contains(Map.of(OUTPUT, 3L));

            assertThatThrownBy(stopped::commit).isInstanceOf(SQLException.class);
        }
        assertThat(shelf.length(RUN, OUTPUT)).isEqualTo(3);
    }

    @Test
    void much_comes_back_as_it_went_in_whatever_the_sizes_and_cuts() {
        var chance = new Random(8);
        for (int round = 0; round < 6; round++) {
            var run = RunId.create(NOW);
            var expected = new ByteArrayOutputStream();
            for (int i = 0; i < 60; i++) {
                int size = chance.nextInt(8) == 0 ? chance.nextInt(700_000) : 1 + chance.nextInt(3_000);
                var piece = new byte[size];
                if (chance.nextBoolean()) chance.nextBytes(piece);
                shelf.append(run, 1, OUTPUT, expected.size(), piece);
                expected.writeBytes(piece);
                if (chance.nextInt(10) == 0) {
                    int cut = chance.nextInt(expected.size() + 1);
                    shelf.take(run, 1, Map.of(OUTPUT, (long) cut));
                    var kept = java.util.Arrays.copyOf(expected.toByteArray(), cut);
                    expected.reset();
                    expected.writeBytes(kept);
                }
            }
            var kept = shelf.find(run, OUTPUT).orElseThrow();
            assertThat(kept.length()).isEqualTo(expected.size());
            var all = new ByteArrayOutputStream();
            while (all.size() < kept.length()) {
                all.writeBytes(shelf.read(run, OUTPUT, kept.version(), all.size(), 1 + chance.nextInt(900_000))
                        .orElseThrow());
            }
            assertThat(all.toByteArray()).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void many_small_pieces_do_not_stay_many_rows() {
        long length = 0;
        for (int i = 0; i < 200; i++) {
            var line = bytes("line %d of the output\n".formatted(i));
            shelf.append(RUN, 1, OUTPUT, length, line);
            length += line.length;
        }

        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isLessThan(30);
        assertThat(text(OUTPUT, 0, 1 << 20)).startsWith("line 0 of").endsWith("line 199 of the output\n");
    }

    @Test
    void a_whole_file_is_replaced_at_once_and_an_old_version_is_read_no_more() throws IOException {
        var name = new ShelfName("session.jsonl");
        var big = new byte[3_000_000];
        new Random(8).nextBytes(big);

        assertThat(shelf.put(RUN, 1, name, input("first"))).contains(1L);
        assertThat(shelf.put(RUN, 1, name, new ByteArrayInputStream(big))).contains(2L);

        assertThat(shelf.find(RUN, name)).contains(new Kept(name, true, 2, 0, big.length));
        assertThat(shelf.read(RUN, name, 2, 0, big.length))
                .hasValueSatisfying(all -> assertThat(all).isEqualTo(big));
        assertThat(shelf.read(RUN, name, 1, 0, 10)).isEmpty();
        assertThat(shelf.put(RUN, 1, name, input(""))).contains(3L);
        assertThat(shelf.read(RUN, name, 3, 0, 10))
                .hasValueSatisfying(all -> assertThat(all).isEmpty());
        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isZero();
    }

    @Test
    void a_put_that_broke_off_is_seen_by_nobody_and_its_place_is_used_again() throws IOException {
        var name = new ShelfName("session.jsonl");
        shelf.put(RUN, 1, name, input("first"));
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

        assertThatThrownBy(() -> shelf.put(RUN, 1, name, breaking)).hasMessage("the disk is gone");

        assertThat(shelf.list(RUN)).containsExactly(new Kept(name, true, 1, 0, 5));
        assertThat(shelf.put(RUN, 1, name, input("second"))).contains(2L);
        assertThat(text(name, 0, 100)).isEqualTo("second");
        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isEqualTo(1);
    }

    @Test
    void the_files_of_pruned_runs_go_and_no_others() {
        for (var run : List.of(RUN, OTHER)) shelf.append(run, 1, OUTPUT, 0, bytes("text"));
        assertThat(shelf.forgetPruned()).isZero();
        database.execute("UPDATE shelf_run SET gone = TRUE WHERE run_id = '%s'".formatted(RUN));

        assertThat(shelf.forgetPruned()).isEqualTo(1);

        assertThat(shelf.list(RUN)).isEmpty();
        assertThat(shelf.length(OTHER, OUTPUT)).isEqualTo(4);
        assertThat(database.count("SELECT count(*) FROM shelf_chunk")).isEqualTo(1);
    }

    @Test
    void names_lead_nowhere_else() {
        for (var bad : List.of("../x", "/etc/passwd", "a//b", "", ".", "..", "a/../b", "x~", "a b", ".hidden"))
            assertThatThrownBy(() -> new ShelfName(bad)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Optional.of(new ShelfName("12/result.md"))).isPresent();
    }

    private String text(ShelfName name, long from, int most) {
        var kept = shelf.find(RUN, name).orElseThrow();
        return new String(shelf.read(RUN, name, kept.version(), from, most).orElseThrow(), UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static InputStream input(String text) {
        return new ByteArrayInputStream(bytes(text));
    }
}
