# Ctrl-X t opens the list of agent sessions; Enter puts the command that resumes the chosen one on the command line.
# Add to ~/.zshrc: eval "$(turns init zsh)"
__turns_resume() {
	local chosen
	chosen=$(command turns pick </dev/tty)
	if [[ -n $chosen ]]; then
		BUFFER=$chosen
		CURSOR=${#BUFFER}
	fi
	zle reset-prompt
}
if [[ -o interactive ]]; then
	zle -N __turns_resume
	bindkey '^Xt' __turns_resume
fi
