package help

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The annotations that a page reads from commands and flags.
const (
	// FlagGroup is the heading that a flag is listed under; without it that is "Flags".
	FlagGroup = "turns_group"
	// FlagValues are the values that a flag takes, listed behind its text.
	FlagValues = "turns_values"
	// ExitOne says when a command ends with exit code 1; without it the command never does.
	ExitOne = "turns_exit_one"
	// Order is what the commands of a group are sorted by.
	Order = "turns_order"
)

// The headings of flags, in the order in which help has them.
const (
	OwnFlags       = "Flags"
	SelectMessages = "Select messages"
	SelectSessions = "Select sessions"
	Input          = "Input"
	Output         = "Output"
)

// Command is the page that --help prints for a command.
func Command(cmd *cobra.Command) *Page {
	p := &Page{Name: strings.ReplaceAll(cmd.CommandPath(), " ", "-"), Title: cmd.Short, Section: 1}
	p.Sections = append(p.Sections, Section{Blocks: parseMarkdown([]byte(cmd.Long)).Sections[0].Blocks})
	usage := "turns " + strings.TrimPrefix(strings.TrimPrefix(cmd.Use, "turns"), " ")
	if cmd.HasParent() {
		usage = strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
	}
	usage += " [flags]"
	if cmd.HasAvailableSubCommands() {
		usage += "\nturns COMMAND [flags]"
	}
	p.Sections = append(p.Sections, Section{"Usage", []Block{{Code: usage}}})
	if cmd.Example != "" {
		p.Sections = append(p.Sections, Section{"Examples", []Block{{Code: outdent(cmd.Example)}}})
	}
	p.Sections = append(p.Sections, commands(cmd)...)
	p.Sections = append(p.Sections, flags(cmd)...)
	if !cmd.HasParent() {
		p.Sections = append(p.Sections, Section{"Help topics", []Block{
			{Text: strings.Join(Topics(), ", ")},
			{Text: "turns COMMAND --help shows the flags of a command, turns help TOPIC one of these pages."},
		}})
	}
	return p
}

// outdent takes the indent off examples, which are written as code shows them.
func outdent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

// commands are the commands below one, in their groups.
func commands(cmd *cobra.Command) (sections []Section) {
	all := slices.SortedStableFunc(slices.Values(cmd.Commands()), func(a, b *cobra.Command) int {
		return strings.Compare(a.Annotations[Order], b.Annotations[Order])
	})
	for _, g := range cmd.Groups() {
		var rows []Row
		for _, c := range all {
			if c.GroupID == g.ID && !c.Hidden {
				rows = append(rows, Row{Term: c.Name(), Text: c.Short})
			}
		}
		if rows != nil {
			sections = append(sections, Section{g.Title, []Block{{Rows: rows}}})
		}
	}
	return sections
}

// flags are the flags of a command, in their groups.
func flags(cmd *cobra.Command) (sections []Section) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	for name, text := range map[string]string{"help": "Show this help", "version": "Print the version"} {
		if f := cmd.Flags().Lookup(name); f != nil {
			f.Usage = text
		}
	}
	for _, group := range []string{OwnFlags, SelectMessages, SelectSessions, Input, Output} {
		var rows []Row
		for _, f := range Flags(cmd) {
			if cmp.Or(annotation(f, FlagGroup), OwnFlags) == group {
				rows = append(rows, Row{Term: flagTerm(f), Text: flagText(f)})
			}
		}
		if rows != nil {
			sections = append(sections, Section{group, []Block{{Rows: rows}}})
		}
	}
	return sections
}

// Flags are the flags of a command that help shows, those of all commands among them. They are
// in the order in which the program defines them.
func Flags(cmd *cobra.Command) []*pflag.Flag {
	var list []*pflag.Flag
	add := func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	all := cmd.LocalFlags()
	all.SortFlags = false
	all.VisitAll(add)
	inherited := cmd.InheritedFlags()
	inherited.SortFlags = false
	inherited.VisitAll(add)
	slices.SortStableFunc(list, func(a, b *pflag.Flag) int { return cmp.Compare(late(a), late(b)) })
	return list
}

// late puts help and version behind all other flags of their group.
func late(f *pflag.Flag) int {
	return map[string]int{"help": 1, "version": 2}[f.Name]
}

func annotation(f *pflag.Flag, name string) string { return strings.Join(f.Annotations[name], ", ") }

// flagTerm is the flag as it is typed, with a placeholder for its value.
func flagTerm(f *pflag.Flag) string {
	term := "    --" + f.Name
	if f.Shorthand != "" {
		term = "-" + f.Shorthand + ", --" + f.Name
	}
	if placeholder, _ := pflag.UnquoteUsage(f); placeholder != "" && f.NoOptDefVal == "" {
		term += " " + placeholder
	} else if placeholder != "" && f.Value.Type() != "bool" {
		term += "[=" + placeholder + "]"
	}
	return term
}

// flagText is what help says of a flag: its text, the values that it takes, and the default.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if values := annotation(f, FlagValues); values != "" {
		text += ": " + values
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
		return text
	}
	return text + " (default " + f.DefValue + ")"
}
