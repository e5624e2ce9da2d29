package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.testing.Distribution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Uses the library of {@code ./build dist} in another build, without any other file of this one. */
@Timeout(300)
@EnabledIfSystemProperty(named = "roost.dist", matches = "/.+", disabledReason = "./check builds it first")
class DistributionLibraryProcessTest {

    private static final String EXAMPLE = "../examples/embed/src/main/java/dev/roost/examples/embed";

    @TempDir
    Path scratch;

    @Test
    void a_foreign_program_builds_with_the_library_and_has_background_runs() throws Exception {
        var jar = Distribution.file("roost-runtime-[0-9.]+\\.jar");
        var version = jar.getFileName().toString().replaceAll("roost-runtime-|\\.jar", "");
        maven("install:install-file", "-Dfile=" + jar, "-DpomFile=" + Distribution.file("roost-runtime-[0-9.]+\\.pom"));

        Files.writeString(scratch.resolve("pom.xml"), pom(version));
        var sources = Files.createDirectories(scratch.resolve("src/main/java/dev/roost/examples/embed"));
        for (var name : List.of("EmbedExample.java", "LineCounter.java"))
            Files.copy(Path.of(EXAMPLE, name), sources.resolve(name));
        maven("compile", "dependency:copy-dependencies");

        var file = Files.writeString(scratch.resolve("three"), "a\nb\nc\n");
        assertThat(done(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        "target/classes:target/dependency/*",
                        "dev.roost.examples.embed.EmbedExample",
                        scratch.resolve("home").toString(),
                        file.toString()))
                .contains(" completed\n", "3 lines in all");
    }

    private static String pom(String version) {
        return """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>com.example</groupId>
              <artifactId>orders</artifactId>
              <version>1</version>
              <properties>
                <maven.compiler.release>25</maven.compiler.release>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
              </properties>
              <dependencies>
                <dependency><groupId>dev.roost</groupId><artifactId>runtime</artifactId><version>%s</version></dependency>
              </dependencies>
              <build>
                <plugins>
                  <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
                  <plugin><artifactId>maven-dependency-plugin</artifactId><version>3.9.0</version></plugin>
                </plugins>
              </build>
            </project>
            """.formatted(version);
    }

    /** Uses a Maven repository of its own, so that it finds only the packaged library. */
    private void maven(String... words) throws IOException, InterruptedException {
        var argv = new ArrayList<>(List.of("mvn", "-q", "-B", "-Dmaven.repo.local=" + scratch.resolve("repository")));
        argv.addAll(List.of(words));
        done(argv.toArray(String[]::new));
    }

    private String done(String... words) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(words).directory(scratch.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        var process = builder.start();
        try (var out = process.inputReader()) {
            var text = String.join("\n", out.readAllLines()) + "\n";
            assertThat(process.waitFor()).as(text).isZero();
            return text;
        } finally {
            process.destroyForcibly();
        }
    }
}
