package dev.roost.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

    // users type the names of the constants
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    @SuppressWarnings("NullAway.Init")
    private Shell shell;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    boolean help;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        var roost = spec.root();
        System.out.print(
                switch (shell) {
                    case bash, zsh -> AutoComplete.bash(roost.name(), roost.commandLine()) + BashRunCompletion.SCRIPT;
                    case fish -> FishCompletion.script(roost);
                });
    }
}
