package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.agents.AgentCliHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A git checkout, as seen by the user of an {@code AgentCliHome}. */
public record UserCheckout(AgentCliHome user, Path top) {

    /** The output; a failure fails the test. */
    public String git(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(words));
        var process = user.process(command)
                .directory(top.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as("%s: %s", String.join(" ", command), said)
                .isZero();
        return said.strip();
    }

    public void write(String name, String text) throws IOException {
        Files.writeString(top.resolve(name), text);
    }

    public String commit(String message) throws IOException, InterruptedException {
        git("add", "-A");
        git("commit", "-q", "-m", message);
        return git("rev-parse", "HEAD");
    }

    /** git status with ignored files, without refreshing the index. */
    public String status() throws IOException, InterruptedException {
        return git("--no-optional-locks", "status", "--porcelain", "--untracked-files=all", "--ignored");
    }

    /** The hash of every file with its executable bit, and every link, by name. */
    public Map<String, String> files() throws IOException {
        var all = new TreeMap<String, String>();
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts) {
                return directory.endsWith(".git") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                if (!file.endsWith(".git")) all.put(top.relativize(file).toString(), describe(file, facts));
                return FileVisitResult.CONTINUE;
            }
        });
        return all;
    }

    private static String describe(Path file, BasicFileAttributes facts) throws IOException {
        if (facts.isSymbolicLink()) return "-> " + Files.readSymbolicLink(file);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            return (Files.isExecutable(file) ? "x " : "- ") + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
