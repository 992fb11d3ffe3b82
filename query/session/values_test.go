package session_test

import (
	"fmt"
	"testing"

	"turns/query/label"
	"turns/query/lang"
	"turns/query/session"
)

// TestValuesOfSessions: counts respect the other terms; keys about messages have no values.
func TestValuesOfSessions(t *testing.T) {
	rows := make([]session.Session, 3)
	for i, project := range []string{"/src/api", "/src/api", "/src/web"} {
		rows[i].Project, rows[i].Agent, rows[i].Model = project, "Codex CLI", "gpt-5"
	}
	rows[1].Errors, rows[2].Agent = 2, "OpenCode"
	rows[2].Labels = []label.Mark{{Kind: label.Label, Name: "loop"}, {Kind: label.Label, Name: "loop"}, {Kind: label.Note, Text: "x"}}
	for _, c := range []struct{ key, rest, want string }{
		{"project", "", "api 2, web 1, "}, {"project", "is:error", "api 1, web 0, "}, {"model", "", "gpt-5 3, "},
		{"agent", "project:web", "OpenCode 1, Codex CLI 0, "}, {"label", "", "loop 1, "}, {"is", "project:api", "error 1, labelled 0, "}, {"tool", "", ""},
	} {
		rest, err := lang.Parse(c.rest)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, v := range session.Values(rows, lang.LangLookup(c.key).Key, rest, lang.TimeRef{}) {
			got += fmt.Sprintf("%s %d, ", v.Text, v.Count)
		}
		if got != c.want {
			t.Errorf("%s under %q: %s, want %s", c.key, c.rest, got, c.want)
		}
	}
}
