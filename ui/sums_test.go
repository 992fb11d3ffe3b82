package ui

import (
	"slices"
	"strings"
	"testing"

	"turns/query/many"
	"turns/query/session"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// TestSumsOverTheList: tools, stats and cost sum the listed sessions, or those selected with v,
// follow the list, and lead to the sessions of a row.
func TestSumsOverTheList(t *testing.T) {
	o := paneOptions()
	o.Context = t.Context() // ends the list
	var asked []string
	fake(&o).sum = func(path string) []*many.Run {
		asked = append(asked, path)
		bash := many.Part{Key: "Bash"}
		bash.Add(many.Runs, 1)
		bash.Add(many.Calls, 3)
		bash.Add(many.Errors, 1)
		run := &many.Run{Session: session.Session{}, Part: many.Part{Sums: bash.Sums}, Tools: []many.Part{bash}}
		run.Agent, run.Path = "Claude Code", path
		return []*many.Run{run}
	}
	news := make(chan transcripts.Update)
	fake(&o).list = newsOf(news)
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S")
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(0), sessionNo(1), sessionNo(2)}, Listed: true}
	d.WaitFor("title 2").Press("t").WaitFor("Tools, 3 sessions, by tool").WaitFor("Bash").WaitFor("33 %").WaitFor("calls ▾")
	d.Press("s").WaitFor("Stats, 3 sessions, by agent").WaitFor("Claude Code")
	d.Press("=").WaitFor("by project").WaitFor("sessions ▾").Press("w").WaitFor("Cost, 3 sessions, by model").WaitFor("cost ▾")
	d.Resize(60, 30).until("does not say what the models cost", func(s string) bool {
		for line := range strings.SplitSeq(s, "\n") {
			if strings.Contains(line, " sessions ") && strings.HasSuffix(strings.TrimSpace(line), "cost") {
				return true
			}
		}
		return false
	})
	d.Resize(120, 30)
	if len(asked) != 3 {
		t.Errorf("%d sessions were read for four tables", len(asked))
	}
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(3)}, Listed: true}
	d.WaitFor("Cost, 4 sessions")
	d.Press("q").WaitFor("title 3").Press("v t").WaitFor("Tools, 1 session, by tool · selected")
	d.Press("enter").WaitFor("tool:Bash").Press("S")
}

// TestKeysOfListsDoNotClash: no key of a list or a table over the screen has two meanings.
func TestKeysOfListsDoNotClash(t *testing.T) {
	table := (&screen.Table{}).Keys(nil)
	for _, g := range paneGroups() {
		taken := map[string]string{}
		for _, k := range g.Keys {
			for _, key := range k.Keys {
				if taken[key] != "" {
					t.Errorf("%s: %s is for %q and for %q", g.Name, key, taken[key], k.Help)
				}
				taken[key] = k.Help
			}
		}
		if g.Name != "Session list" && !strings.HasSuffix(g.Name, "over the list") {
			continue
		}
		for _, k := range table {
			for _, key := range k.Keys {
				// the list has its own search
				if taken[key] != "" && !slices.Contains([]string{"/"}, key) {
					t.Errorf("%s: %s moves in tables, and is for %q", g.Name, key, taken[key])
				}
			}
		}
	}
}
