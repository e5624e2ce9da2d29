package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The completion scripts, called as a shell calls them. */
class CompletionCommandProcessTest extends CliFixture {

    /** The completions that bash offers for the last of these words. */
    private String offered(String... words) throws IOException {
        var roost = scratch.resolve("roost");
        String call = command().stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Files.writeString(roost, "#!/bin/sh\nexec " + call + " \"$@\"\n");
        assertThat(roost.toFile().setExecutable(true)).isTrue();
        var script = """
                source "$SCRATCH/completion"
                compopt() { :; } # works only while bash itself completes
                COMP_WORDS=("$SCRATCH/roost" "$@") COMP_CWORD=$# COMP_LINE="roost $*"
                _roost_words_and_runs
                echo "${COMPREPLY[*]}"
                """;
        Files.writeString(
                scratch.resolve("completion"), cold("completion", "bash").ok().out());
        var builder = new ProcessBuilder("bash", "-c", script, "bash").directory(scratch.toFile());
        builder.command().addAll(java.util.List.of(words));
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_"));
        builder.environment().putAll(Map.of("ROOST_HOME", home.toString(), "SCRATCH", scratch.toString()));
        var ran = finish(builder.start(), "").ok();
        assertThat(ran.err()).isEmpty();
        return ran.out().strip();
    }

    @Test
    void commands_and_options_are_completed_without_a_daemon() throws Exception {
        assertThat(offered("o")).isEqualTo("output");
        assertThat(offered("se")).isEqualTo("send");
        assertThat(offered("ps", "--w")).isEqualTo("--wide --watch");
        assertThat(offered("run", "--on")).isEqualTo("--on-loss --on");
        assertThat(offered("daemon", "sta")).isEqualTo("start status");
        assertThat(offered(""))
                .contains("run ps show", "agents", "trust", "token")
                .doesNotContain("__runs");
        assertThat(offered("show", "")).isEmpty();
        assertThat(home).as("completion starts no daemon").doesNotExist();
    }

    @Test
    void runs_are_completed_by_id_and_name_and_stop_offers_only_live_ones() throws Exception {
        var ended = roost("run", "--name", "over", "--", "true").ok().out().strip();
        roost("output", "--block", ended).ok();
        var live = roost("run", "--name", "going", "--", "sleep", "1000")
                .ok()
                .out()
                .strip();
        roost("run", "--name", "$(touch planted)", "--", "sleep", "1000").ok();
        assertThat(offered("show", "").split(" ", -1)).contains("over", ended, "going", live);
        assertThat(offered("stop", "go")).isEqualTo("going");
        assertThat(offered("stop", ended)).isEmpty();
        assertThat(offered("send", "o")).isEqualTo("over");
        assertThat(offered("send", "over", "go"))
                .as("a message has no completion")
                .isEmpty();
        assertThat(offered("output", live.substring(0, 13))).contains(live);
        assertThat(offered("restore", "o")).isEqualTo("over");
        assertThat(scratch.resolve("planted")).as("a name is never executed").doesNotExist();
    }

    @Test
    void each_shell_has_a_script_and_the_help_names_its_location() {
        assertThat(roost("completion", "zsh").ok().out())
                .contains("bashcompinit")
                .contains("_roost_words_and_runs");
        assertThat(roost("completion", "fish").ok().out())
                .contains("-a ps -d 'List live runs")
                .contains("-n '__roost_in ps' -l owner -r -d 'only runs of this owner'")
                .contains("-n '__roost_at daemon' -a stop")
                .contains("-n '__roost_at restore' -a '(__roost_runs)'")
                .doesNotContain("-a __runs");
        assertThat(roost("completion", "--help").ok().out())
                .contains(
                        "mkdir -p ~/.local/share/bash-completion/completions\n",
                        "mkdir -p ~/.config/fish/completions\n")
                .contains("~/.local/share/bash-completion/completions/roost")
                .contains("~/.zshrc")
                .contains("~/.config/fish/completions/roost.fish");
        assertThat(roost("completion", "tcsh").exit()).isEqualTo(2);
        assertThat(roost("--help").ok().out()).contains("completion").doesNotContain("__runs");
    }
}
