package dev.roost.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.agents.Permissions;
import dev.roost.base.Refusal;
import dev.roost.config.EngineConfig;
import dev.roost.config.Project;
import dev.roost.os.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which project a directory is in, and which settings of its file apply. */
class ProjectFilesTest {

    @TempDir
    Path scratch;

    private Path deep;

    @BeforeEach
    void makeDirectories() throws Exception {
        deep = Files.createDirectories(scratch.toRealPath().resolve("user/checkout/src/deep"));
        Files.createDirectories(scratch.resolve("home"));
    }

    private ProjectFiles projects(EngineConfig config) {
        return new ProjectFiles(
                scratch.resolve("home"),
                config,
                Map.of("HOME", scratch.resolve("user").toString()),
                new SystemClock());
    }

    private ProjectFiles projects() {
        return projects(EngineConfig.DEFAULT);
    }

    private Path says(String directory, String text) throws Exception {
        return Files.writeString(scratch.toRealPath().resolve(directory).resolve(".roost.toml"), text);
    }

    private EngineConfig user(String text) throws Exception {
        Files.createDirectories(scratch.resolve("config/roost"));
        Files.writeString(scratch.resolve("config/roost/config.toml"), text);
        return ConfigFile.load(
                Map.of("XDG_CONFIG_HOME", scratch.resolve("config").toString()));
    }

    @Test
    void the_nearest_file_up_to_the_checkout_or_the_home_is_used() throws Exception {
        assertThat(projects().at(deep)).isEqualTo(Project.NONE);
        says(".", "max_turns = 1");
        assertThat(projects().at(deep)).as("above the home").isEqualTo(Project.NONE);
        says("user", "max_turns = 2");
        assertThat(projects().at(deep).caps().maxTurns()).contains(2);
        Files.createDirectory(scratch.resolve("user/checkout/.git"));
        Files.createFile(scratch.resolve("user/checkout/.git/HEAD"));
        assertThat(projects().at(deep)).as("above the checkout").isEqualTo(Project.NONE);
        says("user/checkout", "max_turns = 3");
        assertThat(projects().at(deep).caps().maxTurns()).contains(3);
        says("user/checkout/src", "max_turns = 4");
        assertThat(projects().at(deep).caps().maxTurns()).contains(4);
    }

    @Test
    void outside_of_home_and_checkout_only_the_file_in_the_directory_itself_is_used() throws Exception {
        var elsewhere = Files.createDirectories(scratch.toRealPath().resolve("elsewhere/below"));
        Files.createDirectory(scratch.resolve(".git")); // an empty one makes no checkout
        says("elsewhere", "max_turns = 1");
        assertThat(projects().at(elsewhere)).isEqualTo(Project.NONE);
        assertThat(projects().at(scratch.resolve("elsewhere")).caps().maxTurns())
                .contains(1);
    }

    @Test
    void trust_is_for_one_content_of_one_file() throws Exception {
        var text = "[agents.tester]\ndriver = \"claude\"\n";
        says("user/checkout", text);
        var seen = projects().review(deep);
        assertThat(seen.trusted()).isFalse();
        assertThat(projects().at(deep).agents()).isEmpty();
        assertThat(projects().at(deep).notes(Optional.of("tester")))
                .singleElement()
                .asString()
                .contains("roost trust");
        assertThat(projects().at(deep).notes(Optional.of("claude")))
                .as("an unrelated file")
                .isEmpty();

        says("user/checkout", text + "# meanwhile\n");
        assertThatThrownBy(() -> projects().trust(deep, seen.sha256()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("has changed since it was shown");

        projects().trust(deep, projects().review(deep).sha256());
        assertThat(projects().at(deep).agents()).containsKey("tester");
        assertThat(projects().at(deep).notes(Optional.of("tester"))).isEmpty();
        Files.createDirectories(scratch.resolve("user/other"));
        says("user/other", text + "# meanwhile\n");
        assertThat(projects().at(scratch.resolve("user/other")).agents())
                .as("another directory")
                .isEmpty();

        Files.delete(scratch.resolve("user/checkout/.roost.toml"));
        assertThat(projects().revoke(scratch.resolve("user/checkout"))).isEqualTo(1);
        assertThat(projects().trusted()).isEmpty();
    }

    @Test
    void a_project_never_loosens_the_users_settings() throws Exception {
        var loose = "[agents.claude]\ndriver = \"claude\"\npermissions = \"edit\"\nmax_time = \"2h\"\n";
        says("user/checkout", loose);
        var generous = projects(user("[agents.claude]\ndriver = \"claude\"\npermissions = \"all\"\nmax_turns = 9\n"));
        generous.trust(deep, generous.review(deep).sha256());
        var agent = Objects.requireNonNull(generous.at(deep).agents().get("claude"));
        assertThat(agent.profile().permissions()).isEqualTo(Permissions.EDIT);
        assertThat(agent.budget().maxTime()).contains(Duration.ofHours(2));
        assertThat(agent.budget().maxTurns()).as("the user's cap stays").contains(9);

        var strict = projects(user("[agents.claude]\ndriver = \"claude\"\nmax_time = \"1h\"\n"));
        assertThatThrownBy(() -> strict.trust(deep, strict.review(deep).sha256()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("agents.claude.permissions")
                .hasMessageContaining("higher cap");
        // trusted when the user was more generous
        var held = Objects.requireNonNull(strict.at(deep).agents().get("claude"));
        assertThat(held.profile().permissions()).isEqualTo(Permissions.SAFE);
        assertThat(held.budget().maxTime()).contains(Duration.ofHours(1));
        assertThat(strict.at(deep).remarks()).hasSize(2);
    }

    @Test
    void a_damaged_trust_list_trusts_nothing() throws Exception {
        says("user/checkout", "[agents.tester]\ndriver = \"claude\"\n");
        Files.writeString(scratch.resolve("home/trusted"), "dear diary\n" + "0".repeat(64) + " then /somewhere\n");
        assertThat(projects().at(deep).agents()).isEmpty();
        projects().trust(deep, projects().review(deep).sha256());
        assertThat(projects().at(deep).agents()).containsKey("tester");
    }
}
