package evals

import (
	"strings"
	"testing"

	"turns/model"
)

// TestCommandsOfSWEAgent: the first word of an action is the tool if it is a command that SWE-agent
// adds to the shell; otherwise the tool is the shell.
func TestCommandsOfSWEAgent(t *testing.T) {
	for name := range strings.FieldsSeq(`open goto scroll_up scroll_down create edit insert search_dir search_file find_file submit str_replace_editor exit_forfeit filemap
		view_image connect_start connect_sendline connect_stop connect_exec debug_start debug_add_breakpoint debug_continue debug_step debug_exec debug_stop
		decompile disassemble ls python`) {
		var fs model.Facts
		f := fs.Add(model.Say)
		sweAgentAction(f, []byte(`" `+name+` a.go\nb"`))
		want := name
		if name == "ls" || name == "python" {
			want = sweAgentBash.String()
		}
		if got := f.Blocks[0].Name.String(); got != want {
			t.Errorf("%s calls %s", name, got)
		}
	}
}
