package dev.roost.cli;

/** Completes run ids and names, which picocli's static script does not know. */
final class BashRunCompletion {

    /** Runs before picocli's function, in bash and in zsh's emulation of bash. */
    static final String SCRIPT = """

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

    private BashRunCompletion() {}
}
