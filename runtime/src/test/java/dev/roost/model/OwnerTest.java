package dev.roost.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Owner names in a ledger that several machines share. */
class OwnerTest {

    @Test
    void a_user_gets_the_name_of_the_node_and_a_session_keeps_its_name() {
        assertThat(new Owner("cli:alice").at("w1").id()).isEqualTo("cli:alice@w1");
        assertThat(new Owner("claude:5f0c").at("w1").id()).isEqualTo("claude:5f0c");
        assertThat(new Owner("ci:nightly").at("w1").id()).isEqualTo("ci:nightly");
    }

    @Test
    void an_owner_with_a_node_name_keeps_it() {
        assertThat(new Owner("cli:alice@w1").at("w2").id()).isEqualTo("cli:alice@w1");
        assertThat(new Owner("cli:alice@corp.example").at("w2").id()).isEqualTo("cli:alice@corp.example");
        assertThat(new Owner("cli:alice@").at("w2").id()).isEqualTo("cli:alice@@w2");
        assertThat(new Owner("cli:@w1").at("w2").id()).isEqualTo("cli:@w1@w2");
    }

    @Test
    void outside_of_a_cluster_an_owner_keeps_its_name() {
        assertThat(new Owner("cli:alice").at("").id()).isEqualTo("cli:alice");
        assertThat(new Owner("codex:/src").on("").id()).isEqualTo("codex:/src");
    }

    @Test
    void a_directory_always_gets_the_name_of_its_node() {
        assertThat(new Owner("codex:/src").on("w1").id()).isEqualTo("codex:/src@w1");
        assertThat(new Owner("codex:/src@2").on("w1").id()).isEqualTo("codex:/src@2@w1");
        assertThat(new Owner("codex:/src@2").movedTo("w1").id()).isEqualTo("codex:/src@2@w1");
        assertThat(new Owner("cli:alice").movedTo("w1").id()).isEqualTo("cli:alice@w1");
        assertThat(new Owner("claude:a:/b").movedTo("w1").id()).isEqualTo("claude:a:/b");
        var longest = new Owner("cli:" + "a".repeat(200));
        assertThat(longest.at("w".repeat(63)).id()).endsWith("@" + "w".repeat(63));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cli:\u001b[2J", "cli:\u009b2J", "cli:\u0085x", "cli:\u007f"})
    void an_owner_with_control_characters_is_refused(String name) {
        assertThatThrownBy(() -> new Owner(name)).isInstanceOf(BadInput.class).hasMessageContaining("\\u00");
    }
}
