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
    void network_filesystems_of_a_mac_are_refused() {
        assertThat(Stream.of("smbfs", "nfs", "afpfs", "webdav", "macfuse", "osxfuse"))
                .allMatch(Home::isRemote);
        assertThat(Stream.of("apfs", "hfs", "ext4", "unknown")).noneMatch(Home::isRemote);
    }

    /** The kernel limits the bytes of the path. */
    @Test
    void the_socket_path_limit_counts_bytes_and_not_characters() {
        var root = scratch.resolve("é".repeat(45));
        assertThat(root.resolve("roost.sock").toString().length()).isLessThan(103);
        assertThatThrownBy(() -> Home.open(root)).isInstanceOf(Broken.class).hasMessageContaining("too long");
    }
}
