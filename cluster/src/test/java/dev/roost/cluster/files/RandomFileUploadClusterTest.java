package dev.roost.cluster.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.files.testing.FileStoreDatabase;
import dev.roost.home.AppendFile;
import dev.roost.home.Home;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Daemons die and restart, nodes take over from each other, and former writers continue writing: readers see one text. */
class RandomFileUploadClusterTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int STEPS = 40;

    @TempDir
    Path scratch;

    private final RunId run = RunId.create(Instant.parse("2026-11-15T12:00:00Z"));

    /** One machine: its files stay, its daemons are replaced. */
    private final class Node {
        final Home home;
        final PostgresFileStore sharedFiles;
        final SharedFileMirror sharedFileMirror;
        FileUploader uploader;

        Node(String name, PostgresFileStore sharedFiles) throws IOException {
            this.home = Home.open(scratch.resolve(name));
            this.sharedFiles = sharedFiles;
            this.sharedFileMirror = new SharedFileMirror(sharedFiles, home, _ -> false);
            this.uploader = new FileUploader(sharedFiles, home, new SystemClock());
            home.run(run).create();
        }

        void print(String text) throws IOException {
            var path = home.run(run).output();
            try (var file = new AppendFile(path, Files.size(path))) {
                file.append(ByteBuffer.wrap(text.getBytes(UTF_8)));
            }
            uploader.outputGrew(run);
        }

        /** Kills its daemon; the next one finds that only so much was confirmed. */
        void comeBack(int attempt, Random chance) throws IOException {
            uploader.close();
            uploader = new FileUploader(sharedFiles, home, new SystemClock());
            lead(attempt, chance);
        }

        void takeOver(int attempt, Random chance) throws IOException {
            assertThat(sharedFiles.claimWriting(run, attempt, Map.of())).isPresent();
            sharedFileMirror.download(run);
            lead(attempt, chance);
        }

        private void lead(int attempt, Random chance) throws IOException {
            var path = home.run(run).output();
            long size = Files.size(path);
            long saved = Math.max(0, size - (chance.nextBoolean() ? 0 : chance.nextInt(3_000)));
            try (var file = new AppendFile(path, saved)) {
                long length = file.length();
                sharedFileMirror.becomeWriter(
                        run, () -> uploader.becomeWriter(run, attempt, Map.of(SharedFileName.OUTPUT, length)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void every_reader_ends_up_with_the_output_of_the_last_writer(int seed) throws Exception {
        var chance = new Random(seed);
        try (var database = FileStoreDatabase.create()) {
            var nodes = new ArrayList<Node>();
            for (var name : List.of("a", "b", "c")) nodes.add(new Node(name, database.shelf()));
            var holder = nodes.getFirst();
            int attempt = 1;
            holder.lead(attempt, chance);
            for (int step = 0; step < STEPS; step++) {
                var other = nodes.get(chance.nextInt(nodes.size()));
                switch (chance.nextInt(10)) {
                    case 0 -> holder.comeBack(attempt, chance);
                    case 1 -> {
                        if (other == holder) break;
                        attempt++;
                        other.takeOver(attempt, chance);
                        holder.print("late words of a holder that does not know yet\n"); // only to its own file
                        holder = other;
                    }
                    case 2 -> assertThat(holder.uploader.flush(run, SOON)).isTrue();
                    case 3, 4 -> {
                        if (other != holder) other.sharedFileMirror.download(run);
                    }
                    default -> holder.print("%d: %s\n".formatted(step, "text ".repeat(chance.nextInt(2_000))));
                }
            }
            holder.print("the end");
            assertThat(holder.uploader.flush(run, SOON)).isTrue();

            for (var node : nodes) {
                if (node != holder) node.sharedFileMirror.download(run);
                assertThat(Files.mismatch(
                                node.home.run(run).output(),
                                holder.home.run(run).output()))
                        .as("seed %d: first difference", seed)
                        .isEqualTo(-1);
                node.uploader.close();
            }
        }
    }
}
