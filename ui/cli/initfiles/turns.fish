# Ctrl-X t opens the list of agent sessions; Enter puts the command that resumes the chosen one on the command line.
# Add to ~/.config/fish/config.fish: turns init fish | source
function __turns_resume
    set -l chosen (command turns pick </dev/tty)
    if test -n "$chosen"
        commandline --replace -- "$chosen"
    end
    commandline --function repaint
end
if status is-interactive
    bind \cxt __turns_resume
end
