package dev.roost.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeLayoutMigrationTest {

    private static final RunId RUN = new RunId("r_0123456789ab");
    private static final RunId OTHER_RUN = new RunId("r_ba9876543210");

    @TempDir
    Path scratch;

    private Path root;
    private Path oldTransfers;
    private Path oldSubmissions;

    @BeforeEach
    void setPaths() {
        root = scratch.resolve("home");
        oldTransfers = root.resolve("luggage");
        oldSubmissions = root.resolve("accepting");
    }

    private void writeOldBundle(String content) throws IOException {
        Files.createDirectories(oldTransfers.resolve("luggage-1"));
        Files.writeString(oldTransfers.resolve("luggage-1/1"), content);
    }

    private static List<String> logOf(Migration migration) throws IOException {
        var lines = new ArrayList<String>();
        var handler = new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }
        };
        var log = Logger.getLogger(HomeLayoutMigration.class.getName());
        log.addHandler(handler);
        try {
            migration.run();
        } finally {
            log.removeHandler(handler);
        }
        return lines;
    }

    private interface Migration {
        void run() throws IOException;
    }

    @Test
    void an_old_home_is_migrated_with_its_content() throws IOException {
        writeOldBundle("a conversation");
        new SubmissionMarkers(Files.createDirectories(oldSubmissions)).begin(RUN);

        var home = Home.open(root);
        HomeLayoutMigration.migrate(home);

        assertThat(root.resolve("transfers/luggage-1/1")).hasContent("a conversation");
        assertThat(root.resolve("submitting").resolve(RUN.text())).isRegularFile();
        assertThat(home.submissions().remaining()).containsExactly(RUN);
        assertThat(oldTransfers).doesNotExist();
        assertThat(oldSubmissions).doesNotExist();
    }

    @Test
    void an_old_home_without_the_new_directories_is_migrated() throws IOException {
        writeOldBundle("a conversation");

        HomeLayoutMigration.migrate(new Home(root));

        assertThat(root.resolve("transfers/luggage-1/1")).hasContent("a conversation");
        assertThat(oldTransfers).doesNotExist();
    }

    @Test
    void both_directories_are_merged_and_no_entry_is_replaced() throws IOException {
        var home = Home.open(root);
        writeOldBundle("old");
        Files.writeString(oldTransfers.resolve("free"), "moved");
        Files.createDirectories(home.transfers().resolve("luggage-1"));
        Files.writeString(home.transfers().resolve("luggage-1/1"), "new");

        var lines = logOf(() -> HomeLayoutMigration.migrate(home));

        assertThat(home.transfers().resolve("free")).hasContent("moved");
        assertThat(home.transfers().resolve("luggage-1/1")).hasContent("new");
        assertThat(oldTransfers.resolve("luggage-1/1")).hasContent("old");
        assertThat(oldTransfers.resolve("free")).doesNotExist();
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line).contains(oldTransfers.toString(), "luggage-1", "transfers"));
    }

    @Test
    void markers_of_both_directories_are_merged_and_the_old_directory_is_removed() throws IOException {
        var home = Home.open(root);
        home.submissions().begin(RUN);
        var old = new SubmissionMarkers(Files.createDirectories(oldSubmissions));
        old.begin(RUN);
        old.begin(OTHER_RUN);

        HomeLayoutMigration.migrate(home);

        assertThat(home.submissions().remaining()).containsExactlyInAnyOrder(RUN, OTHER_RUN);
        assertThat(oldSubmissions).doesNotExist();
    }

    @Test
    void a_merge_that_a_crash_interrupted_is_continued() throws IOException {
        var home = Home.open(root);
        writeOldBundle("a conversation");
        Files.writeString(home.transfers().resolve("moved"), "before the crash");

        HomeLayoutMigration.migrate(home);
        HomeLayoutMigration.migrate(home);

        assertThat(home.transfers().resolve("moved")).hasContent("before the crash");
        assertThat(home.transfers().resolve("luggage-1/1")).hasContent("a conversation");
        assertThat(oldTransfers).doesNotExist();
    }

    @Test
    void a_symlink_under_an_old_name_is_not_followed() throws IOException {
        var home = Home.open(root);
        var elsewhere = Files.createDirectories(scratch.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("file"), "not Roost's");
        Files.createSymbolicLink(oldTransfers, elsewhere);

        var lines = logOf(() -> HomeLayoutMigration.migrate(home));

        assertThat(elsewhere.resolve("file")).hasContent("not Roost's");
        assertThat(oldTransfers).isSymbolicLink();
        assertThat(home.transfers()).isDirectory().isEmptyDirectory();
        assertThat(Files.isSymbolicLink(home.transfers())).isFalse();
        assertThat(lines).singleElement().satisfies(line -> assertThat(line).contains(oldTransfers.toString()));
    }

    @Test
    void a_symlink_under_a_new_name_is_refused() throws IOException {
        writeOldBundle("a conversation");
        var elsewhere = Files.createDirectories(scratch.resolve("elsewhere"));
        Files.createSymbolicLink(root.resolve("transfers"), elsewhere);

        assertThatThrownBy(() -> HomeLayoutMigration.migrate(new Home(root)))
                .isInstanceOf(FileAlreadyExistsException.class);

        assertThat(elsewhere).isEmptyDirectory();
        assertThat(oldTransfers.resolve("luggage-1/1")).hasContent("a conversation");
    }

    @Test
    void a_symlink_among_the_entries_is_moved_as_a_symlink() throws IOException {
        var home = Home.open(root);
        var elsewhere = Files.writeString(scratch.resolve("elsewhere"), "not Roost's");
        Files.createDirectories(oldTransfers);
        Files.createSymbolicLink(oldTransfers.resolve("link"), elsewhere);
        Files.writeString(home.transfers().resolve("file"), "content");

        HomeLayoutMigration.migrate(home);

        assertThat(home.transfers().resolve("link")).isSymbolicLink();
        assertThat(elsewhere).hasContent("not Roost's");
        assertThat(oldTransfers).doesNotExist();
    }

    @Test
    void a_home_without_old_directories_is_left_as_it_is() throws IOException {
        Files.createDirectories(root);

        HomeLayoutMigration.migrate(new Home(root));

        assertThat(root).isEmptyDirectory();
    }
}
