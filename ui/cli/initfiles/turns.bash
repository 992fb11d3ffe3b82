# Ctrl-X t opens the list of agent sessions; Enter puts the command that resumes the chosen one on the command line.
# Add to ~/.bashrc: eval "$(turns init bash)"
__turns_resume() {
	local chosen
	chosen=$(command turns pick </dev/tty) || return
	[ -n "$chosen" ] || return
	READLINE_LINE=$chosen
	READLINE_POINT=${#chosen}
}
bind -x '"\C-xt": __turns_resume' 2>/dev/null
