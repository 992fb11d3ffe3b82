package help

import (
	"strings"

	"github.com/spf13/cobra"
)

// Manual is the manual page of a command: its help, how it ends, and what it reads besides its
// arguments.
func Manual(cmd *cobra.Command) *Page {
	p := Command(cmd)
	if p.Sections[0].Blocks == nil {
		p.Sections[0].Blocks = []Block{{Text: cmd.Short + "."}}
	}
	synopsis := p.Sections[1]
	p.Sections = append([]Section{{"Synopsis", synopsis.Blocks}, {"Description", p.Sections[0].Blocks}}, p.Sections[2:]...)
	for i := range p.Sections {
		for j := range p.Sections[i].Blocks {
			for k, r := range p.Sections[i].Blocks[j].Rows {
				p.Sections[i].Blocks[j].Rows[k].Term = strings.TrimSpace(r.Term)
			}
		}
	}
	p.Sections = append(p.Sections,
		Section{"Exit status", []Block{{Rows: exits(cmd)}}},
		Section{"Environment", []Block{{Rows: environment}}},
		Section{"Files", []Block{{Rows: files}}},
		Section{"See also", []Block{{Text: seeAlso(cmd)}}},
	)
	return p
}

// exits are the exit codes of a command.
func exits(cmd *cobra.Command) []Row {
	rows := []Row{{Term: "0", Text: "Done."}}
	if one := cmd.Annotations[ExitOne]; one != "" {
		rows = append(rows, Row{Term: "1", Text: one})
	}
	return append(rows,
		Row{Term: "2", Text: "An error, or a file that turns could not read in full."},
		Row{Term: "130", Text: "Interrupted."})
}

// environment are the variables that the program reads.
var environment = []Row{
	{Term: "NO_COLOR", Text: "Print and draw without colours."},
	{Term: "COLUMNS", Text: "How wide --help is when it is not printed on a terminal."},
	{Term: "TZ", Text: "The time zone of all times, without --utc."},
	{Term: "XDG_CONFIG_HOME", Text: "The folder of settings (default ~/.config)."},
	{Term: "XDG_DATA_HOME", Text: "The folder of labels (default ~/.local/share)."},
	{Term: "XDG_STATE_HOME", Text: "The folder of positions, marks, history and received traces (default ~/.local/state)."},
	{Term: "XDG_CACHE_HOME", Text: "The folder of cached summaries (default ~/.cache)."},
	{Term: "CLAUDE_CONFIG_DIR, CODEX_HOME, CURSOR_DATA_DIR, GEMINI_CLI_HOME, KIRO_HOME, LLM_USER_PATH, OMNIGENT_DATA_DIR, OPENCLAW_STATE_DIR, QWEN_HOME, QWEN_RUNTIME_DIR", Text: "Folders of agents, which lists include."},
	{Term: "TURNS_AUTHOR", Text: "The author of labels (default USER, then LOGNAME)."},
	{Term: "AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY", Text: "Access to s3:// buckets."},
	{Term: "GS_ACCESS_KEY_ID, GS_SECRET_ACCESS_KEY, GS_ENDPOINT_URL", Text: "Access to gs:// buckets."},
}

// files are the files that the program reads and writes besides transcripts.
var files = []Row{
	{Term: "~/.config/turns/config.toml", Text: "Settings; turns config prints them."},
	{Term: "~/.config/turns/prices.toml, prices.json", Text: "Prices that override the built-in list prices."},
	{Term: "~/.config/turns/formats/*.toml", Text: "Descriptions of further formats; turns formats --infer writes one."},
	{Term: "~/.config/turns/themes/*.toml", Text: "Further themes."},
	{Term: "~/.local/share/turns/labels.jsonl", Text: "Labels, notes, verdicts and scores."},
	{Term: "~/.local/state/turns", Text: "Positions, marks and history of the screen; traces that turns listen received."},
	{Term: "~/.cache/turns", Text: "Summaries of transcripts that did not change. It can be deleted at any time."},
}

func seeAlso(cmd *cobra.Command) string {
	var names []string
	if cmd.HasParent() {
		names = append(names, "turns(1)")
	} else {
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				names = append(names, "turns-"+c.Name()+"(1)")
			}
		}
	}
	for _, topic := range Topics() {
		names = append(names, "turns-"+topic+"(7)")
	}
	return strings.Join(names, ", ")
}
