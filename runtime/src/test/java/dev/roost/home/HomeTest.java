package dev.roost.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Broken;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeTest {

    @TempDir
    Path scratch;

    @Test
    void what_a_mac_mounts_from_elsewhere_is_no_place_for_a_home() {
        assertThat(Stream.of("smbfs", "nfs", "afpfs", "webdav", "macfuse", "osxfuse"))
                .allMatch(Home::isRemote);
        assertThat(Stream.of("apfs", "hfs", "ext4", "unknown")).noneMatch(Home::isRemote);
    }

    /** What counts is what the kernel is given. */
    @Test
    void a_path_of_few_letters_with_many_bytes_is_too_long_for_a_socket() {
        var root = scratch.resolve("é".repeat(45));
        assertThat(root.resolve("roost.sock").toString().length()).isLessThan(103);
        assertThatThrownBy(() -> Home.open(root)).isInstanceOf(Broken.class).hasMessageContaining("too long");
    }
}
