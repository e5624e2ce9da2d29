package dev.roost.checks;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How test JVMs are started: as Surefire would, with the settings in pom.xml. */
record WorkerSettings(Path root, String ownClassPath) {

    /** Absolute, because tests have other working directories. */
    WorkerSettings {
        ownClassPath = Stream.of(ownClassPath.split(File.pathSeparator, -1))
                .map(entry -> root.resolve(entry).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    List<String> jvm(CheckEntry.Module module) {
        var words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dbasedir=" + module.directory(),
                "-Djava.util.logging.config.file=" + root.resolve("runtime/src/test/resources/logging.properties")));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("roost."))
                .sorted()
                .forEach(name -> words.add("-D" + name + "=" + System.getProperty(name)));
        words.addAll(List.of("-cp", module.classPath() + File.pathSeparator + ownClassPath));
        return words;
    }
}
