package cli

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/ui/cli/help"
)

// listed returns the program and all commands listed in its help.
func listed() []*cobra.Command {
	root, _ := newRoot(IO{Env: func(string) string { return "" }})
	all := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if !c.Hidden {
			all = append(all, c)
		}
	}
	return all
}

// No line of help is wider than the terminal except lines of code, which are never cut, and words
// are never split.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, cmd := range listed() {
		page := help.Command(cmd)
		for _, columns := range []int{80, 100, 120} {
			var b strings.Builder
			if err := page.WriteText(&b, help.Layout{Columns: columns}); err != nil {
				t.Fatal(err)
			}
			words := strings.Join(strings.Fields(b.String()), " ")
			code := ""
			for _, s := range page.Sections {
				for _, block := range s.Blocks {
					code += block.Code + "\n"
					for _, r := range block.Rows {
						if text := strings.Join(strings.Fields(r.Text), " "); !strings.Contains(words, text) {
							t.Errorf("%s at %d columns lacks or breaks %q", cmd.CommandPath(), columns, text)
						}
					}
				}
			}
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if w := ansi.StringWidth(line); w > columns && !strings.Contains(code, strings.TrimSpace(line)) {
					t.Errorf("%s at %d columns has a line of %d: %s", cmd.CommandPath(), columns, w, line)
				}
			}
			for line := range strings.Lines(code) {
				if !strings.Contains(b.String(), strings.TrimRight(line, " \n")) {
					t.Errorf("%s at %d columns cuts %q", cmd.CommandPath(), columns, line)
				}
			}
		}
	}
}

// A flag with a value has a placeholder for it, and one with a fixed set of words lists them. Its
// text starts with a capital letter and is one line.
func TestFlagsExplainThemselves(t *testing.T) {
	types := []string{"string", "strings", "stringArray", "int", "int64", "value"}
	for _, cmd := range listed() {
		for _, f := range help.Flags(cmd) {
			placeholder, text := pflag.UnquoteUsage(f)
			switch {
			case f.Value.Type() != "bool" && (slices.Contains(types, placeholder) || placeholder != strings.ToUpper(placeholder)):
				t.Errorf("%s --%s has the placeholder %q", cmd.CommandPath(), f.Name, placeholder)
			case text == "" || text[:1] != strings.ToUpper(text[:1]) || strings.Contains(text, "\n") || strings.HasSuffix(text, "."):
				t.Errorf("%s --%s has the text %q", cmd.CommandPath(), f.Name, text)
			case f.Annotations[help.FlagGroup] == nil && cmd.LocalNonPersistentFlags().Lookup(f.Name) == nil:
				t.Errorf("%s --%s is in no group", cmd.CommandPath(), f.Name)
			}
			if c, ok := f.Value.(*choice); ok && len(f.Annotations[help.FlagValues]) == 0 {
				t.Errorf("%s --%s lists none of %v", cmd.CommandPath(), f.Name, c.known())
			}
		}
	}
}

// The two commands split from one with 52 flags show at most 25 flags each.
func TestContextAndTrimAreShort(t *testing.T) {
	for _, cmd := range listed() {
		if n := len(help.Flags(cmd)); (cmd.Name() == "context" || cmd.Name() == "trim") && n > 25 {
			t.Errorf("%s shows %d flags", cmd.CommandPath(), n)
		}
	}
}

// A command has at most one flag of each current name, and none with a former name.
func TestFormerNamesAreNoNames(t *testing.T) {
	for _, cmd := range listed() {
		for _, f := range help.Flags(cmd) {
			if now := formerFlags[f.Name]; now != "" {
				t.Errorf("%s --%s is the former name of --%s", cmd.CommandPath(), f.Name, now)
			}
		}
		for former, now := range formerOwn[cmd.Name()] {
			if f := cmd.Flags().Lookup(former); f == nil || f.Name != now {
				t.Errorf("%s --%s is not --%s", cmd.CommandPath(), former, now)
			}
		}
	}
}

var manFlag = regexp.MustCompile(`^(?:-(.), )?--([a-z-]+)`)

// The manual page of a command has every section, names exactly the flags of the program, and
// man(1) reads it without a warning.
func TestManualIsTrue(t *testing.T) {
	groups := []string{"FLAGS", "SELECT MESSAGES", "SELECT SESSIONS", "INPUT", "OUTPUT"}
	for _, cmd := range listed() {
		var b strings.Builder
		if err := help.Manual(cmd).WriteMan(&b); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"} {
			if !strings.Contains(page, ".SH \""+section+"\"\n") && !strings.Contains(page, ".SH "+section+"\n") {
				t.Errorf("the page of %s has no %s", cmd.CommandPath(), section)
			}
		}
		if strings.Contains(page, "`") {
			t.Errorf("the page of %s has a backtick", cmd.CommandPath())
		}
		found := map[string]bool{}
		section := ""
		for line := range strings.Lines(strings.ReplaceAll(page, `\-`, "-")) {
			if name, ok := strings.CutPrefix(line, ".SH "); ok {
				section = strings.Trim(strings.TrimSpace(name), `"`)
			}
			term, ok := strings.CutPrefix(line, `\fB`)
			if !ok || !slices.Contains(groups, section) {
				continue
			}
			m := manFlag.FindStringSubmatch(term)
			if m == nil {
				t.Errorf("the page of %s has the flag %q", cmd.CommandPath(), term)
				continue
			}
			found[m[2]] = true
			f := cmd.Flags().Lookup(m[2])
			if f == nil {
				f = cmd.InheritedFlags().Lookup(m[2])
			}
			if f == nil || f.Name != m[2] || f.Shorthand != m[1] {
				t.Errorf("%s does not take -%s, --%s", cmd.CommandPath(), m[1], m[2])
			}
		}
		for _, f := range help.Flags(cmd) {
			if !found[f.Name] {
				t.Errorf("the page of %s lacks --%s", cmd.CommandPath(), f.Name)
			}
		}
		lintManual(t, cmd.CommandPath(), page)
	}
}

// lintManual checks a page with groff, if installed.
func lintManual(t *testing.T, name, page string) {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	cmd := exec.Command(groff, "-man", "-Kutf8", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// Exit code 1 has the meaning described in the topic exit-codes and the manual pages, and only
// these commands use it.
func TestExitCodeOneIsDocumented(t *testing.T) {
	page, err := help.Topic("exit-codes")
	if err != nil {
		t.Fatal(err)
	}
	topic := ""
	for _, s := range page.Sections {
		for _, block := range s.Blocks {
			for _, r := range block.Rows {
				topic += r.Term + "\n"
			}
		}
	}
	var found []string
	for _, cmd := range listed() {
		if cmd.Annotations[help.ExitOne] == "" {
			continue
		}
		found = append(found, cmd.Name())
		if !strings.Contains(topic, cmd.Name()) {
			t.Errorf("the topic exit-codes does not name %s", cmd.Name())
		}
	}
	slices.Sort(found)
	if want := []string{"check", "diff", "failures", "read", "search", "show", "trials"}; !slices.Equal(found, want) {
		t.Errorf("commands with exit code 1 are %v, want %v", found, want)
	}
}
