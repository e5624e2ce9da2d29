package dev.roost.cli.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A git repository with one commit. */
public record OneCommitRepository(Path path) {

    public static OneCommitRepository in(Path path) throws Exception {
        Files.createDirectories(path);
        var oneCommitRepository = new OneCommitRepository(path);
        oneCommitRepository.git("init", "-q", "-b", "main");
        oneCommitRepository.git("config", "user.name", "alice");
        oneCommitRepository.git("config", "user.email", "alice@example.org");
        oneCommitRepository.write("app.py", "print('hello')\n");
        oneCommitRepository.write(".gitignore", "*.log\n");
        oneCommitRepository.git("add", "-A");
        oneCommitRepository.git("commit", "-qm", "begin");
        return oneCommitRepository;
    }

    public void write(String name, String text) throws IOException {
        Files.writeString(path.resolve(name), text);
    }

    public String git(String... words) throws Exception {
        var command = new ArrayList<>(List.of("git", "-C", path.toString()));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        return output.strip();
    }
}
