package dev.roost.daemon.config;

import dev.roost.base.BadInput;
import dev.roost.base.Clock;
import dev.roost.base.Refusal;
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

/** Projects by their {@code .roost.toml}, and the trust that people put into them. */
public final class ProjectFiles implements ProjectLookup {

    /** A project's file for a person to look at; {@code loosens} is why it cannot be trusted as it is. */
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
        var says = ProjectSettings.of(file, config);
        if (trust.covers(file)) {
            var remarks = says.loosens().stream()
                    .map(one -> "In %s, %s; that part is ignored.".formatted(file.path(), one))
                    .toList();
            return new Project(
                    says.agents(),
                    says.defaultAgent(),
                    says.caps(),
                    says.permissions(),
                    says.making(),
                    Optional.empty(),
                    remarks);
        }
        boolean making = says.making().isPresent();
        boolean adds = !says.agents().isEmpty() || says.defaultAgent().isPresent() || making;
        var untrusted = new Project.UntrustedSettings(file.path(), says.agents().keySet(), says.defaultAgent(), making);
        return new Project(
                Map.of(),
                Optional.empty(),
                says.caps(),
                says.permissions(),
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

    /** Trusts the file as it was when its content had this hash, which is what the person saw. */
    public ProjectFileReview trust(Path directory, String sha256) {
        var file = find(directory);
        if (!file.sha256().equals(sha256)) {
            throw new Refusal(
                    "project_changed",
                    "%s is not what was shown any more.".formatted(file.path()),
                    "Look at it again: roost trust.");
        }
        var loosens = ProjectSettings.of(file, config).loosens();
        if (!loosens.isEmpty()) {
            throw new Refusal(
                    "project_loosens",
                    "A project may not loosen what you allow: %s.".formatted(String.join("; ", loosens)),
                    "Correct %s, or allow it in your own config.toml.".formatted(file.path()));
        }
        if (file.path().toString().chars().anyMatch(Character::isISOControl)) {
            throw new BadInput(
                    "bad_path",
                    "The path %s has control characters."
                            .formatted(TextFormat.printable(file.path().toString())),
                    "Rename it.");
        }
        if (!trust.covers(file)) trust.add(file, clock.now());
        return review(directory);
    }

    /** Also for a file that is gone meanwhile: whatever was trusted in that directory is not any more. */
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
                .orElseThrow(() -> new BadInput(
                        "no_project_file",
                        "There is no .roost.toml in %s or above it in the same project."
                                .formatted(TextFormat.printable(directory.toString())),
                        "Name the project's directory: roost trust DIR."));
    }
}
