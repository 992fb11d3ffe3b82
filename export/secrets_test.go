package export_test

import (
	"fmt"
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// TestSecrets: the answer counts the credentials of each kind at each place, without their letters.
func TestSecrets(t *testing.T) {
	const key, other = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"
	named := querytest.Result("c1", "token "+other)
	named.Name = "Bash"
	snap := model.FromMessages([]model.Message{
		querytest.Message(model.User, "use "+key+" and "+key+" or "+other),
		querytest.Null(model.Assistant, querytest.Thinks("so "+key), querytest.Call("c1", "Bash", `{"command":"curl -H `+other+`"}`), querytest.Call("c2", "", `{"k":"`+key+`"}`)),
		querytest.Tool(named, querytest.Result("c2", key)),
		querytest.Message(model.Assistant, "nothing here"),
	})
	list, err := export.Secrets(t.Context(), query.Everything(snap))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%d %s: %s %d", s.Index, s.Where, s.Rule, s.Count))
	}
	want := `0 text: anthropic-api-key 2
0 text: github-token 1
1 reasoning: anthropic-api-key 1
1 arguments of Bash: github-token 1
1 arguments of a call: anthropic-api-key 1
2 result of Bash: github-token 1
2 result: anthropic-api-key 1`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}
