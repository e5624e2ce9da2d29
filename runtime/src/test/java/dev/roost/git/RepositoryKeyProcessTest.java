package dev.roost.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All clones of a repository have the same key, on every machine. */
class RepositoryKeyProcessTest {

    @TempDir
    Path room;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://github.com/acme/App.git",
                "https://ada:secret@GitHub.com/acme/App",
                "https://github.com:443/acme/App/",
                "ssh://git@github.com/acme/App.git",
                "ssh://git@github.com:22//acme/App.git",
                "git@github.com:acme/App.git",
                "github.com:acme/App",
                "git://github.com/acme/App.git/"
            })
    void every_spelling_of_a_remote_url_gives_the_same_key(String url) {
        assertThat(RepositoryKey.ofUrl(url)).contains(new RepositoryKey("github.com/acme/App"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/srv/git/app.git", "file:///srv/git/app.git", "../app", "./a:b", "https://github.com/"})
    void a_url_that_only_this_machine_can_reach_gives_no_key(String url) {
        assertThat(RepositoryKey.ofUrl(url)).isEmpty();
    }

    @Test
    void the_key_of_origin_comes_first_and_that_of_the_root_commit_last() {
        var sampleRepository = SampleRepository.in(room);
        sampleRepository.git("remote", "add", "backup", "git@backup.example:acme/app.git");
        sampleRepository.git("remote", "add", "origin", "https://github.com/acme/app.git");

        var keys = RepositoryKey.all(sampleRepository.top, SampleRepository.environment(room));

        assertThat(keys)
                .containsExactly(
                        new RepositoryKey("github.com/acme/app"),
                        new RepositoryKey("backup.example/acme/app"),
                        new RepositoryKey("root:" + sampleRepository.git("rev-parse", "HEAD")));
        assertThat(RepositoryKey.of(sampleRepository.top, SampleRepository.environment(room)))
                .contains(new RepositoryKey("github.com/acme/app"));
    }

    @Test
    void without_a_remote_the_key_is_the_first_commit() throws Exception {
        var sampleRepository = SampleRepository.in(room);
        var root = sampleRepository.git("rev-parse", "HEAD");
        sampleRepository.git("clone", "-q", ".", "../clone");
        sampleRepository.write("c.txt", "more\n").commit("second");

        assertThat(RepositoryKey.of(sampleRepository.top, SampleRepository.environment(room)))
                .contains(new RepositoryKey("root:" + root));
        assertThat(RepositoryKey.of(room.resolve("clone"), SampleRepository.environment(room)))
                .contains(new RepositoryKey("root:" + root));
        assertThat(RepositoryKey.of(Files.createDirectory(room.resolve("none")), SampleRepository.environment(room)))
                .isEmpty();
        assertThat(RepositoryKey.of(room.resolve("nowhere"), SampleRepository.environment(room)))
                .isEmpty();
    }

    @Test
    void the_first_commit_of_a_shallow_clone_is_not_its_key() {
        var sampleRepository = SampleRepository.in(room);
        sampleRepository.write("c.txt", "more\n").commit("second");
        sampleRepository.git("clone", "-q", "--depth=1", "file://" + sampleRepository.top, "../shallow");

        assertThat(RepositoryKey.of(room.resolve("shallow"), SampleRepository.environment(room)))
                .isEmpty();
    }
}
