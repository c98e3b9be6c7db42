package dev.longhaul.cli.client;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a shell script that completes this program's commands and options. */
@Command(
        name = "completion",
        description = {
            "Prints a completion script.",
            "bash: source <(longhaul completion bash)   zsh: source <(longhaul completion zsh)"
        },
        mixinStandardHelpOptions = true)
public final class Completion implements Runnable {
    private static final String ZSH = """
            autoload -Uz compinit && compinit
            autoload -Uz bashcompinit && bashcompinit
            """;

    private final Screen screen;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell = Shell.bash;

    /** Written as on the command line. */
    private enum Shell {
        bash,
        zsh
    }

    public Completion(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        String script = AutoComplete.bash("longhaul", spec.root().commandLine());
        screen.out().println(shell == Shell.zsh ? ZSH + script : script);
        screen.out().flush();
    }
}
