package dev.roost.cluster.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The programs of an installed PostgreSQL, run as another user if this one is root, which PostgreSQL refuses. */
record PostgresPrograms(Path bin, Optional<String> user) {

    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");

    static PostgresPrograms find() {
        return new PostgresPrograms(
                newest(), System.getProperty("user.name").equals("root") ? unprivileged() : Optional.empty());
    }

    private static Path newest() {
        if (Files.isDirectory(INSTALLED)) {
            try (var versions = Files.list(INSTALLED)) {
                var found = versions.filter(version -> Files.isExecutable(version.resolve("bin/initdb")))
                        .max(Comparator.comparingInt(PostgresPrograms::number));
                if (found.isPresent()) return found.get().resolve("bin");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new AssertionError("There is no PostgreSQL in %s. Install it: apt-get install postgresql (15 or later)."
                .formatted(INSTALLED));
    }

    private static int number(Path version) {
        var name = version.getFileName().toString();
        return name.matches("\\d{1,4}") ? Integer.parseInt(name) : 0;
    }

    private static Optional<String> unprivileged() {
        for (var name : List.of("postgres", "nobody")) {
            try {
                var lookup = new ProcessBuilder("getent", "passwd", name)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                if (lookup.waitFor() == 0) return Optional.of(name);
            } catch (IOException | InterruptedException e) {
                throw new AssertionError("getent, of libc-bin, cannot be run", e);
            }
        }
        throw new AssertionError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.");
    }

    /** A directory that belongs to the user of the database. */
    Path directory(Path path) throws IOException {
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        own(path);
        return path;
    }

    void own(Path path) throws IOException {
        if (user.isEmpty()) return;
        var principal = path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user.get());
        Files.setOwner(path, principal);
    }

    ProcessBuilder command(String program, String... arguments) {
        var command = new ArrayList<String>();
        user.ifPresent(name -> command.addAll(
                List.of("setpriv", "--reuid=" + name, "--regid=" + group(name), "--clear-groups", "--")));
        command.add(bin.resolve(program).toString());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        builder.directory(Path.of("/").toFile()); // a directory that any user may enter
        return builder;
    }

    private static String group(String user) {
        return user.equals("nobody") ? "nogroup" : user;
    }

    void run(String program, String... arguments) {
        try {
            var process = command(program, arguments).start();
            var output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) throw new AssertionError("%s ended with %d: %s".formatted(program, status, output));
        } catch (IOException e) {
            throw new AssertionError(program + " cannot be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while " + program + " ran", e);
        }
    }
}
