package dev.roost.docgen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manual pages are valid for the programs that show them. */
class ManualsTest {

    @TempDir
    Path directory;

    @Test
    void roost_each_command_and_the_settings_have_a_page() {
        assertThat(Manuals.pages()).containsKeys("roost.1", "roost-run.1", "roost-token-create.1", "roost-config.5");
    }

    @Test
    void groff_formats_every_page_without_warnings() throws Exception {
        for (var page : Manuals.pages().entrySet()) {
            var shown = shown(page.getKey(), page.getValue());
            assertThat(shown).as(page.getKey()).contains("NAME").doesNotContain("warning:", "error:");
        }
    }

    @Test
    void characters_with_a_meaning_in_roff_are_escaped() throws Exception {
        var page = new Roff("odd", 1, "Odd")
                .heading("NAME")
                .paragraph(".hidden 'quoted' back\\slash -- a~b^c … `bold`")
                .paragraph("'first");
        assertThat(shown("odd.1", page.toString())).contains(".hidden 'quoted' back\\slash -- a~b^c … bold", "'first");
    }

    @Test
    void a_page_lists_the_options_of_its_command() throws Exception {
        assertThat(shown("roost-run.1", String.valueOf(Manuals.pages().get("roost-run.1"))))
                .contains("--max-time TIME", "time budget, e.g. 30m", "roost run -- make test");
        assertThat(shown("roost-config.5", String.valueOf(Manuals.pages().get("roost-config.5"))))
                .contains("max_live_per_owner", "Default: 5.", "ROOST_MAX_LIVE_PER_OWNER", "[permissions]");
    }

    private String shown(String name, String text) throws IOException, InterruptedException {
        var file = Files.writeString(directory.resolve(name), text);
        var groff = new ProcessBuilder("groff", "-man", "-Tutf8", "-ww", "-P-cbou", file.toString())
                .redirectErrorStream(true)
                .start();
        var said = new String(groff.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(groff.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return said;
    }
}
