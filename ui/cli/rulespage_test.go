package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
)

// rulesSession is a session that obeys the ten rules of "turns help rules". Each line in a case of
// ruleBreaks replaces the line with the same number.
var rulesSession = []string{
	0:  `{"type":"session_meta","timestamp":"2026-02-11T10:00:00Z","payload":{"id":"s","timestamp":"2026-02-11T10:00:00Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.101.0"}}`,
	1:  `{"type":"turn_context","timestamp":"2026-02-11T10:00:00Z","payload":{"cwd":"/w","model":"gpt-5-codex"}}`,
	2:  `{"type":"response_item","timestamp":"2026-02-11T10:00:01Z","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"mend the parser"}]}}`,
	3:  `{"type":"event_msg","timestamp":"2026-02-11T10:00:01Z","payload":{"type":"user_message","message":"mend the parser"}}`,
	4:  ruleCall("c1", "read_file", `{"path":"parser.go"}`),
	5:  ruleResult("c1", "package parser"),
	6:  ruleCall("c2", "exec_command", `{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: parser.go\n@@\n-a\n+b\n*** End Patch\nEOF"}`),
	7:  ruleResult("c2", "Success. Updated the following files:\nM parser.go"),
	8:  ruleCall("c3", "exec_command", `{"cmd":"go test ./..."}`),
	9:  ruleResult("c3", "ok  parser 0.01s"),
	10: `{"type":"event_msg","timestamp":"2026-02-11T10:00:09Z","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":20,"reasoning_output_tokens":0,"total_tokens":120},"last_token_usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":20,"reasoning_output_tokens":0,"total_tokens":120}}}}`,
	11: `{"type":"response_item","timestamp":"2026-02-11T10:00:10Z","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`,
	12: `{"type":"event_msg","timestamp":"2026-02-11T10:00:10Z","payload":{"type":"agent_message","message":"Done."}}`,
	13: `{"type":"event_msg","timestamp":"2026-02-11T10:00:10Z","payload":{"type":"task_complete","last_agent_message":"Done."}}`,
}

func ruleCall(id, name, args string) string {
	return `{"type":"response_item","timestamp":"2026-02-11T10:00:05Z","payload":{"type":"function_call","call_id":"` + id + `","name":"` + name +
		`","arguments":` + jsonText(args) + `}}`
}

func ruleResult(id, text string) string {
	return `{"type":"response_item","timestamp":"2026-02-11T10:00:06Z","payload":{"type":"function_call_output","call_id":"` + id + `","output":` + jsonText(text) + `}}`
}

func jsonText(s string) string { return string(model.AppendQuoted(nil, []byte(s))) }

// ruleBreaks are changes of the session, each of which violates one rule.
var ruleBreaks = map[string]map[int]string{
	"tests after the last edit": {8: ruleCall("c3", "exec_command", `{"cmd":"ls"}`)},
	"read before edit":          {4: ruleCall("c1", "exec_command", `{"cmd":"pwd"}`)},
	"no secrets":                {9: ruleResult("c3", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLQ")},
	"no force push":             {4: ruleCall("c1", "exec_command", `{"cmd":"cat parser.go; git push origin main --force"}`)},
	"no sweeping deletes":       {4: ruleCall("c1", "exec_command", `{"cmd":"cat parser.go; rm -rf ~/src"}`)},
	"CI left alone": {6: ruleCall("c2", "apply_patch",
		`{"path":".github/workflows/ci.yml","input":"*** Begin Patch\n*** Update File: .github/workflows/ci.yml\n@@\n-a\n+b\n*** End Patch"}`)},
	"offline":    {4: ruleCall("c1", "web_search", `{"query":"parser"}`)},
	"affordable": {1: `{"type":"turn_context","timestamp":"2026-02-11T10:00:00Z","payload":{"cwd":"/w","model":"house-model"}}`},
	"no loops": {9: ruleResult("c3", "ok") + "\n" + ruleCall("d1", "exec_command", `{"cmd":"ls"}`) + "\n" + ruleResult("d1", "a") + "\n" +
		ruleCall("d2", "exec_command", `{"cmd":"ls"}`) + "\n" + ruleResult("d2", "a") + "\n" + ruleCall("d3", "exec_command", `{"cmd":"ls"}`) + "\n" + ruleResult("d3", "a")},
	"done": {13: `{"type":"event_msg","timestamp":"2026-02-11T10:00:11Z","payload":{"type":"turn_aborted","reason":"interrupted"}}`},
}

// TestTenRulesOfThePage checks sessions against the rules of the help page: one that obeys all of
// them, and for each rule one that violates it.
func TestTenRulesOfThePage(t *testing.T) {
	page, err := os.ReadFile("help/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "## Ten rules")
	_, text, _ = strings.Cut(text, "```toml\n")
	text, _, _ = strings.Cut(text, "```")
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.toml")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(rules, text)
	list, err := readRules(rules)
	if err != nil || len(list) != 10 {
		t.Fatalf("%d rules, %v", len(list), err)
	}
	check := func(lines []string) string {
		path := filepath.Join(dir, "rollout-2026-02-11T10-00-00-s.jsonl")
		write(path, strings.Join(lines, "\n")+"\n")
		_, out, _ := run(t, "", "check", path, "--rules", rules)
		return out
	}
	if out := check(rulesSession); !strings.Contains(out, "1 session against 10 rules: 0 violations") {
		t.Errorf("a session that keeps them:\n%s", out)
	}
	for i := range list {
		name := list[i].Name
		lines := slices.Clone(rulesSession)
		if ruleBreaks[name] == nil {
			t.Errorf("no session violates %q", name)
		}
		for n, line := range ruleBreaks[name] {
			lines[n] = line
		}
		if out := check(lines); !strings.Contains(out, ": "+name+": ") {
			t.Errorf("%s is not violated:\n%s", name, out)
		}
	}
}
