package dev.roost.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An address has many spellings, and is one address. */
class ListenAddressTest {

    private static ListenAddress at(String address) {
        return new ListenAddress(InetAddress.ofLiteral(address), 8443, true, List.of("Box.example"));
    }

    @Test
    void a_listener_knows_its_address_however_it_is_written() {
        var where = at("fd00::5");
        assertThat(where.isOurs("[fd00::5]:8443")).isTrue();
        assertThat(where.isOurs("[FD00:0:0:0:0:0:0:5]:8443")).isTrue();
        assertThat(where.isOurOrigin("https://[fd00::5]:8443")).isTrue();
        assertThat(where.isOurs("box.example:8443")).isTrue();
        assertThat(at("192.0.2.7").isOurs("192.0.2.7:8443")).isTrue();
    }

    @Test
    void requests_for_another_address_port_or_name_are_refused() {
        var where = at("fd00::5");
        for (var other :
                List.of("[fd00::6]:8443", "[fd00::5]:443", "[fd00::5]", "fd00::5:8443", "192.0.2.7:8443", "other:8443"))
            assertThat(where.isOurs(other)).as(other).isFalse();
        assertThat(at("::").isOurs("[::]:8443"))
                .as("the wildcard is not an address for clients")
                .isFalse();
    }
}
