package dev.roost.daemon.config;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.Project;
import dev.roost.config.ProjectLookup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds projects by their {@code .roost.toml}, and records which of these files the user trusts. */
public final class ProjectFiles implements ProjectLookup {

    /** A project's file for a person to review; {@code loosens} lists the reasons why it cannot be trusted as it is. */
    public record ProjectFileReview(Path file, String text, String sha256, boolean trusted, List<String> loosens) {}

    public record TrustedFile(Path file, String sha256, Instant at) {}

    private final EngineConfig config;
    private final Clock clock;
    private final TrustStore trust;
    private final Path userHome;

    public ProjectFiles(Path home, EngineConfig config, Map<String, String> environment, Clock clock) {
        this.config = config;
        this.clock = clock;
        this.trust = new TrustStore(home);
        this.userHome = real(Path.of(environment.getOrDefault("HOME", System.getProperty("user.home"))));
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath();
        }
    }

    @Override
    public Project at(Path directory) {
        var found = ProjectFile.nearest(directory, userHome);
        if (found.isEmpty()) return Project.NONE;
        var file = found.get();
        var settings = ProjectSettings.of(file, config);
        if (trust.covers(file)) {
            var remarks = settings.loosens().stream()
                    .map(one -> "In %s, %s; that part is ignored.".formatted(file.path(), one))
                    .toList();
            return new Project(
                    settings.agents(),
                    settings.defaultAgent(),
                    settings.caps(),
                    settings.permissions(),
                    settings.setup(),
                    Optional.empty(),
                    remarks);
        }
        boolean setup = settings.setup().isPresent();
        boolean adds = !settings.agents().isEmpty() || settings.defaultAgent().isPresent() || setup;
        var untrusted =
                new Project.UntrustedSettings(file.path(), settings.agents().keySet(), settings.defaultAgent(), setup);
        return new Project(
                Map.of(),
                Optional.empty(),
                settings.caps(),
                settings.permissions(),
                Optional.empty(),
                adds ? Optional.of(untrusted) : Optional.empty(),
                List.of());
    }

    public ProjectFileReview review(Path directory) {
        var file = find(directory);
        return new ProjectFileReview(
                file.path(),
                file.text(),
                file.sha256(),
                trust.covers(file),
                ProjectSettings.of(file, config).loosens());
    }

    /** Trusts the file if its content still has this hash, which is the content that the person saw. */
    public ProjectFileReview trust(Path directory, String sha256) {
        var file = find(directory);
        if (!file.sha256().equals(sha256)) {
            throw ErrorCode.PROJECT_CHANGED.error("%s has changed since it was shown.".formatted(file.path()));
        }
        var loosens = ProjectSettings.of(file, config).loosens();
        if (!loosens.isEmpty()) {
            throw ErrorCode.PROJECT_LOOSENS.error(
                    "A project may not loosen what you allow: %s.".formatted(String.join("; ", loosens)),
                    "Correct %s, or allow it in your own config.toml.".formatted(file.path()));
        }
        if (file.path().toString().chars().anyMatch(Character::isISOControl)) {
            throw ErrorCode.BAD_PATH.error("The path %s has control characters."
                    .formatted(TextFormat.printable(file.path().toString())));
        }
        if (!trust.covers(file)) trust.add(file, clock.now());
        return review(directory);
    }

    /** Revokes trust of the directory's file, also if the file was deleted. Returns the number of removed entries. */
    public int revoke(Path directory) {
        var nearest = ProjectFile.nearest(directory, userHome).map(ProjectFile::path);
        var own = real(directory).resolve(".roost.toml");
        return trust.revoke(file -> file.equals(own) || nearest.equals(Optional.of(file)));
    }

    public List<TrustedFile> trusted() {
        return trust.entries().stream()
                .map(entry -> new TrustedFile(entry.file(), entry.sha256(), entry.at()))
                .toList();
    }

    private ProjectFile find(Path directory) {
        return ProjectFile.nearest(directory, userHome)
                .orElseThrow(() ->
                        ErrorCode.NO_PROJECT_FILE.error("There is no .roost.toml in %s or above it in the same project."
                                .formatted(TextFormat.printable(directory.toString()))));
    }
}
