package agents

import (
	"slices"
	"strings"
	"testing"

	"turns/model"
)

// TestFailuresOfHermes: the beginning of a result's JSON, plain or inside a string, or an exit code
// near one of its ends marks a failure.
func TestFailuresOfHermes(t *testing.T) {
	far := strings.Repeat("x", 200)
	for text, want := range map[string]bool{
		`{"success": false}`: true, `{"success":false}`: true, `{\"success\": false}`: true, `{\"success\":false}`: true,
		`{"error": "no"}`: true, `{"error":"no"}`: true, `{\"error\": \"no\"}`: true, `{\"error\":\"no\"}`: true,
		`{"success": true}`: false, `{"error": null}`: false, ` {"success": false}`: false,
		`{"output": "", "exit_code": 1}`: true, `{"exit_code": 0}`: false, `{"output":"` + far + `","exit_code":2}`: true, far + `"exit_code": 2` + far: false,
	} {
		if got := hermesFailed(model.StringText(text)); got != want {
			t.Errorf("%s failed: %v, want %v", text, got, want)
		}
	}
}

// TestBriefsNeedWhatMessagesNeed: a list reads the messages of every database that opening reads.
func TestBriefsNeedWhatMessagesNeed(t *testing.T) {
	needs := func(queries []model.Query) []string {
		return queries[slices.IndexFunc(queries, func(q model.Query) bool { return q.Name == "message" })].Needs
	}
	for name, queries := range map[string][2][]model.Query{"goose": {gooseQueries, gooseBrief}, "hermes": {hermesQueries, hermesBrief}} {
		if opened, listed := needs(queries[0]), needs(queries[1]); !slices.Equal(opened, listed) {
			t.Errorf("%s: opening needs %v, the list %v", name, opened, listed)
		}
	}
}
