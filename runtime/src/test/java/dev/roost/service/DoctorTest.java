package dev.roost.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DoctorTest {

    @Test
    void temporary_directories_are_recognised_on_macos_too() {
        assertThat(Stream.of(
                        "/tmp/h", "/private/tmp/h", "/var/folders/zz/T/h", "/private/var/folders/zz/T/h", "/run/h"))
                .allMatch(place -> Doctor.isTemporary(Path.of(place)));
        assertThat(Stream.of("/Users/ann/.local/state/roost", "/var/tmp/h", "/tmpfiles"))
                .noneMatch(place -> Doctor.isTemporary(Path.of(place)));
    }
}
