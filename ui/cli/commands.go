package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"turns/ui/cli/help"
)

// The groups of commands in the program's help, in this order.
const (
	browse     = "Browse"
	analyze    = "Analyze"
	annotating = "Annotate"
	share      = "Share"
	automate   = "Automate"
	setup      = "Setup"
)

var commandGroups = []string{browse, analyze, annotating, share, automate, setup}

// commandRow is a command of the program: its group in the help, its aliases, and its constructor.
// A command without a group is hidden.
type commandRow struct {
	group   string
	aliases string
	build   func(*app) *cobra.Command
}

// commandTable lists all commands, in the order of the help within their group. Aliases are former
// names and words that people try first; the help omits them.
func commandTable() []commandRow {
	return []commandRow{
		{browse, "list sessions", (*app).lsCommand},
		{browse, "tour", (*app).demoCommand},
		{browse, "cat", (*app).showCommand},
		{browse, "less", (*app).readCommand},
		{browse, "grep", (*app).searchCommand},
		{browse, "", (*app).timelineCommand},
		{browse, "calls worklog", (*app).logCommand},

		{analyze, "", (*app).statsCommand},
		{analyze, "", (*app).toolsCommand},
		{analyze, "files", (*app).changesCommand},
		{analyze, "", (*app).blameCommand},
		{analyze, "", (*app).costCommand},
		{analyze, "", (*app).lanesCommand},
		{analyze, "", (*app).contextCommand},
		{analyze, "", (*app).trimCommand},
		{analyze, "compare", (*app).diffCommand},
		{analyze, "", (*app).trialsCommand},
		{analyze, "groups", (*app).failuresCommand},
		{analyze, "", (*app).loopsCommand},
		{analyze, "threads", (*app).recapCommand},

		{annotating, "labels", (*app).labelCommand},

		{share, "", (*app).exportCommand},
		{share, "keep", (*app).archiveCommand},
		{share, "branch", (*app).forkCommand},

		{automate, "lint", (*app).checkCommand},
		{automate, "", (*app).mcpCommand},
		{automate, "", (*app).listenCommand},

		{setup, "", (*app).filterCommand},
		{setup, "", (*app).formatsCommand},
		{setup, "", (*app).pricesCommand},
		{setup, "", (*app).configCommand},
		{setup, "", (*app).schemaCommand},
		{setup, "", (*app).completionCommand},
		{setup, "", (*app).initCommand},
		{setup, "", (*app).manCommand},
		{setup, "", (*app).helpCommand},

		{"", "view", (*app).openCommand},
		{"", "", (*app).pickCommand},
		{"", "", (*app).versionCommand},
		{"", "", (*app).factsCommand},
	}
}

// addCommands adds all commands to the program.
func (a *app) addCommands(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g, Title: g})
	}
	for i, row := range commandTable() {
		cmd := row.build(a)
		if cmd.Annotations == nil {
			cmd.Annotations = map[string]string{}
		}
		cmd.Annotations[help.Order] = fmt.Sprintf("%03d", i)
		cmd.Flags().SortFlags = false // the help lists them in the order of their definitions
		cmd.GroupID, cmd.Hidden = row.group, row.group == ""
		cmd.Aliases = append(cmd.Aliases, strings.Fields(row.aliases)...)
		if cmd.Name() == "help" {
			root.SetHelpCommand(cmd)
			continue
		}
		root.AddCommand(cmd)
	}
	root.CompletionOptions.DisableDefaultCmd = true // the table has its own completion command
}
