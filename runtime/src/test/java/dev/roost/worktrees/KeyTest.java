package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clones know each other wherever they are. */
class KeyTest {

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
    void however_it_is_written_it_is_the_same_repository(String url) {
        assertThat(Key.ofUrl(url)).contains(new Key("github.com/acme/App"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/srv/git/app.git", "file:///srv/git/app.git", "../app", "./a:b", "https://github.com/"})
    void what_only_this_machine_can_reach_is_no_address(String url) {
        assertThat(Key.ofUrl(url)).isEmpty();
    }

    @Test
    void the_origin_comes_first_and_the_root_last() {
        var repo = Repo.in(room);
        repo.git("remote", "add", "backup", "git@backup.example:acme/app.git");
        repo.git("remote", "add", "origin", "https://github.com/acme/app.git");

        var keys = Key.all(repo.top, Repo.environment(room));

        assertThat(keys)
                .containsExactly(
                        new Key("github.com/acme/app"),
                        new Key("backup.example/acme/app"),
                        new Key("root:" + repo.git("rev-parse", "HEAD")));
        assertThat(Key.of(repo.top, Repo.environment(room))).contains(new Key("github.com/acme/app"));
    }

    @Test
    void without_a_remote_clones_are_known_by_their_first_commit() throws Exception {
        var repo = Repo.in(room);
        var root = repo.git("rev-parse", "HEAD");
        repo.git("clone", "-q", ".", "../clone");
        repo.write("c.txt", "more\n").commit("second");

        assertThat(Key.of(repo.top, Repo.environment(room))).contains(new Key("root:" + root));
        assertThat(Key.of(room.resolve("clone"), Repo.environment(room))).contains(new Key("root:" + root));
        assertThat(Key.of(Files.createDirectory(room.resolve("none")), Repo.environment(room)))
                .isEmpty();
        assertThat(Key.of(room.resolve("nowhere"), Repo.environment(room))).isEmpty();
    }

    @Test
    void the_first_commit_that_a_shallow_clone_has_says_nothing() {
        var repo = Repo.in(room);
        repo.write("c.txt", "more\n").commit("second");
        repo.git("clone", "-q", "--depth=1", "file://" + repo.top, "../shallow");

        assertThat(Key.of(room.resolve("shallow"), Repo.environment(room))).isEmpty();
    }
}
