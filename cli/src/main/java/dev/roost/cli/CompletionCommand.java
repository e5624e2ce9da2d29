package dev.roost.cli;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.HelpOption;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = "Print a script with which your shell completes roost's commands, options and runs.",
        footer = {
            "",
            "Install it once, for your shell:",
            "  mkdir -p ~/.local/share/bash-completion/completions",
            "  roost completion bash >~/.local/share/bash-completion/completions/roost",
            "",
            "  roost completion zsh >~/.roost.zsh && echo 'source ~/.roost.zsh' >>~/.zshrc",
            "",
            "  mkdir -p ~/.config/fish/completions",
            "  roost completion fish >~/.config/fish/completions/roost.fish",
            "",
            "(bash without the package bash-completion: source the file in ~/.bashrc.)"
        })
final class CompletionCommand implements Runnable {

    /** Completes ids and names of runs, which picocli's static script does not know. Runs before picocli's function, in bash and in zsh's emulation of bash. */
    private static final String RUNS_IN_BASH = """

        # Completes ids and names of runs where a command takes one.
        function _roost_words_and_runs() {
          local word=${COMP_WORDS[COMP_CWORD]}
          case ${COMP_WORDS[1]}:$word in
            show:-*|output:-*|stop:-*|send:-*|restore:-*|adopt:-*) ;;
            show:*|output:*|stop:*|send:*|restore:*|adopt:*)
              if (( COMP_CWORD == 2 )) || [[ $COMP_CWORD -gt 2 && ! ${COMP_WORDS[1]} =~ ^(send|restore)$ ]]; then
                local IFS=$'\\n'
                COMPREPLY=( $(compgen -W "$("${COMP_WORDS[0]}" __runs "${COMP_WORDS[1]}" 2>/dev/null | cut -f1)" -- "$word") )
                return 0
              fi ;;
          esac
          _complete_roost "$@"
        }
        complete -F _roost_words_and_runs -o default roost roost.sh roost.bash
        """;

    // users type the names of the constants
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell;

    @Mixin
    HelpOption help;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        var roost = spec.root();
        System.out.print(
                switch (shell) {
                    case bash, zsh -> AutoComplete.bash(roost.name(), roost.commandLine()) + RUNS_IN_BASH;
                    case fish -> FishCompletion.script(roost);
                });
    }

    /** For the completion scripts: one run a line, a tab, its description. Starts no daemon and prints no errors. */
    @Command(name = "__runs", hidden = true)
    static final class Runs extends ClientCommand {
        @Parameters(paramLabel = "COMMAND", description = "command to complete")
        private String command;

        @Override
        public int call(DaemonClient client) {
            boolean live = command.equals("stop");
            client.callIfRunning("list", params().put("filter", live ? "all_active" : "all"))
                    .ifPresent(answer -> {
                        for (var run : RunEntry.all(answer)) if (!live || !run.ended()) print(run);
                    });
            return 0;
        }

        private static void print(RunEntry run) {
            var description = "\t" + run.state() + ", "
                    + Style.safe(run.text("description")).replaceAll("\\s+", " ");
            if (!run.word().equals(run.id())) System.out.println(run.word() + description);
            System.out.println(run.id() + description);
        }
    }
}
