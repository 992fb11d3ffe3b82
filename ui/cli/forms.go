package cli

import (
	"slices"

	"turns/export/formats"
)

// The output forms of commands. Exports have their own.
var (
	blameForms  = []string{"text", "json", "porcelain", "agent-trace"}
	changeForms = []string{"text", "json", "patch"}
	checkForms  = []string{"text", "json", "junit", "sarif"}
	diffForms   = []string{"text", "markdown", "json"}
	labelForms  = []string{"text", "json", "csv", "scout", "scout-labels", "scout-scores"}
	laneForms   = []string{"text", "json", "perfetto"}
	logForms    = []string{"text", "markdown", "csv", "json"}
	readForms   = []string{"text", "markdown", "json"}
	trialForms  = []string{"text", "json", "markdown", "junit"}
)

// answerForms are the forms of most answers, and textAndJSON those of lists.
var (
	answerForms = []string{"text", "markdown", "json"}
	textAndJSON = []string{"text", "json"}
)

// outputForms returns all forms of all commands.
func outputForms() []string {
	forms := append([]string{"text", "json"}, exportNames()...)
	for _, more := range [][]string{blameForms, changeForms, checkForms, diffForms, laneForms, logForms, labelForms, trialForms} {
		forms = append(forms, more...)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// exportNames returns the values of --to for exports.
func exportNames() []string { return append(formats.Names(), tables) }

// tables is the name of the export that writes a folder of tables.
const tables = "parquet"
