package dev.roost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agent.Context;
import dev.roost.agent.JavaAgent;
import dev.roost.base.BadInput;
import dev.roost.base.Broken;
import dev.roost.base.NoSuchRun;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import dev.roost.testing.ApiBaseline;
import dev.roost.testing.ApiSignatures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The file {@code api.txt} lists the API of the library. New members are added to it with
 * {@code mvn -pl runtime test -Dtest=LibraryApiTest -Droost.api=write}; a removal needs a new version.
 */
class LibraryApiTest {

    private static final Path FILE = Path.of("api.txt");
    private static final List<Class<?>> API = List.of(
            Roost.class,
            Runs.class,
            Run.class,
            RunRequest.class,
            Output.class,
            Notice.class,
            Settings.class,
            Agent.class,
            JavaAgent.class,
            Context.class,
            RoostError.class,
            BadInput.class,
            NoSuchRun.class,
            Refusal.class,
            Broken.class);

    private static ApiBaseline now() {
        return new ApiBaseline(System.getProperty("roost.version"), ApiSignatures.of(API));
    }

    @Test
    void the_api_matches_api_txt() throws IOException {
        var written = ApiBaseline.read(FILE);
        var now = now();
        assertThat(written.against(now)).isEmpty();
        if (System.getProperty("roost.api", "").equals("write")) now.write(FILE);
        assertThat(now.without(ApiBaseline.read(FILE)))
                .as("not in api.txt; -Droost.api=write adds it")
                .isEmpty();
    }

    @Test
    void the_api_names_no_type_of_an_internal_package() {
        assertThat(now().lines())
                .noneMatch(line -> Stream.of("service", "engine", "attempt", "ledger", "agents", "config", "node")
                        .anyMatch(inner -> line.contains("dev.roost." + inner + ".")));
    }

    private static ApiBaseline written(String version, String... lines) {
        return new ApiBaseline(version, new TreeSet<>(List.of(lines)));
    }

    @Test
    void a_removal_needs_a_new_version() {
        var before = written("0.1.0", "a", "b");
        assertThat(before.against(written("0.1.0", "a", "b", "c"))).isEmpty();
        assertThat(before.against(written("0.1.1", "a"))).isPresent();
        assertThat(before.against(written("0.2.0", "a"))).isEmpty();
        assertThat(written("1.2.0", "a").against(written("1.3.0"))).isPresent();
        assertThat(written("1.2.0", "a").against(written("2.0.0"))).isEmpty();
        assertThat(written("1.2.0", "a").against(written("0.9.0"))).isPresent();
    }
}
