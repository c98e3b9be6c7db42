package dev.longhaul.cli.client.completion;

import dev.longhaul.cli.client.Screen;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a shell script that completes commands, options and values. */
@Command(
        name = "completion",
        description = {
            "Prints a completion script for bash, zsh or fish.",
            "bash: source <(longhaul completion bash)",
            "zsh:  source <(longhaul completion zsh), after compinit",
            "fish: longhaul completion fish | source"
        },
        mixinStandardHelpOptions = true)
public final class Completion implements Runnable {
    /** A function runs no alias by itself, and the documentation suggests the alias longhaul. */
    private static final String BASH = """
        _complete_longhaul() {
            local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} candidates program
            [ "$current" != = ] || current=
            program=${BASH_ALIASES[${COMP_WORDS[0]}]-}
            [ -n "$program" ] || printf -v program %q "${COMP_WORDS[0]}"
            candidates=$(eval "$program"' complete -- "${COMP_WORDS[@]:1:COMP_CWORD}"' 2>/dev/null)
            if [ "$candidates" = :files ]; then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
            else
                COMPREPLY=()
                for candidate in $candidates; do COMPREPLY+=("${candidate%%$'\\t'*}"); done
            fi
        }
        complete -F _complete_longhaul longhaul ./longhaul
        """;

    private static final String ZSH = """
        _complete_longhaul() {
            local -a candidates
            candidates=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
            if [[ $candidates[1] == :files ]]; then
                _files
            elif [[ -n $candidates[1] ]]; then
                compadd -- "${(@)candidates%%$'\\t'*}"
            fi
        }
        compdef _complete_longhaul longhaul ./longhaul
        """;

    private static final String FISH = """
        function __complete_longhaul
            set -l words (commandline -opc) (commandline -ct)
            set -l candidates ($words[1] complete -- $words[2..-1] 2>/dev/null)
            if test "$candidates" = :files
                __fish_complete_path (commandline -ct)
            else
                printf '%s\\n' $candidates
            end
        end
        complete -c longhaul -f -a '(__complete_longhaul)'
        """;

    private final Screen screen;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.", defaultValue = "bash")
    private Shell shell = Shell.bash;

    /** The supported shells. The names are the values of the argument. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    public Completion(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void run() {
        screen.out()
                .print(
                        switch (shell) {
                            case bash -> BASH;
                            case zsh -> ZSH;
                            case fish -> FISH;
                        });
        screen.out().flush();
    }
}
