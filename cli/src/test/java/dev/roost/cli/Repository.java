package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real checkout with one commit, and git to ask about it. */
record Repository(Path path) {

    static Repository in(Path path) throws Exception {
        Files.createDirectories(path);
        var repository = new Repository(path);
        repository.git("init", "-q", "-b", "main");
        repository.git("config", "user.name", "alice");
        repository.git("config", "user.email", "alice@example.org");
        repository.write("app.py", "print('hello')\n");
        repository.write(".gitignore", "*.log\n");
        repository.git("add", "-A");
        repository.git("commit", "-qm", "begin");
        return repository;
    }

    void write(String name, String text) throws IOException {
        Files.writeString(path.resolve(name), text);
    }

    String git(String... words) throws Exception {
        var command = new ArrayList<>(List.of("git", "-C", path.toString()));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
        return said.strip();
    }
}
