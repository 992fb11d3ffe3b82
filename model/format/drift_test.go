package format

import (
	"regexp"
	"testing"
)

// TestKnownFormats checks that known.toml has only existing formats, with valid versions.
func TestKnownFormats(t *testing.T) {
	version := regexp.MustCompile(`^[0-9][0-9.-]*$`)
	verified := 0
	for name, k := range knownFormats() {
		if name == everyFormat {
			continue
		}
		f, err := Find(name)
		if err != nil {
			t.Errorf("known.toml: %v", err)
			continue
		}
		if v := Verified(f); v != "" && !version.MatchString(v) {
			t.Errorf("%s: version %q", name, v)
		} else if v != "" {
			verified++
		}
		if len(k.Tables) > 0 && (f.Unroll == nil || len(f.Unroll.Queries) == 0) {
			t.Errorf("%s: it has tables, and is no database", name)
		}
	}
	if verified < 11 {
		t.Errorf("%d formats name a version", verified)
	}
}

// TestNewNamesAreUnread: for the families in which agents add most of their records, the list
// has single names instead of patterns, so that a new name raises the alarm.
func TestNewNamesAreUnread(t *testing.T) {
	for format, families := range map[string]map[string]string{
		"claude-code": {"attachment/brand_new": "attachment/task_status"},
		"codex": {"agent_brand_new": "agent_reasoning", "task_brand_new": "task_complete", "thread_brand_new": "thread_rolled_back", "collab_brand_new": "collab_waiting_end",
			"item_updated": "item_completed", "mcp_brand_new": "mcp_tool_call_end", "token_brand_new": "token_count", "turn_brand_new": "turn_aborted"},
		"copilot-cli": {"tool.brand_new": "tool.execution_start", "user.brand_new": "user.message", "assistant.brand_new": "assistant.turn_end", "session.brand_new": "session.error",
			"hook.brand_new": "hook.end", "subagent.brand_new": "subagent.started"},
	} {
		types := knownFormats()[format].Records
		for unknown, known := range families {
			if matches(types, unknown) || !matches(types, known) {
				t.Errorf("%s: %q is known, or %q is not", format, unknown, known)
			}
		}
	}
}
