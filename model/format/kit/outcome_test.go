package kit

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestWordingsOfFailures: each phrase at the beginning of a failed result determines its outcome.
func TestWordingsOfFailures(t *testing.T) {
	for want, phrases := range map[model.Outcome][]string{
		model.Denied:    {"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now", "requested permissions to", "Permission to use", "Permission denied by user", "permission was denied", "User denied", "User did not allow", "The user denied", "denied by the user", "denied by user", "User rejected", "rejected by user", "rejected by the user", "The user rejected", "The user declined", "user declined", "execution denied"},
		model.Stopped:   {"[Request interrupted by user", "Interrupted by user", "interrupted by the user", "Request was aborted", "aborted by user", "aborted by the user", "user aborted", "was interrupted"},
		model.Cancelled: {"Cancelled: parallel tool call", "Sibling tool call errored", "<tool_use_error>Cancelled", "was cancelled", "was canceled", "cancelled by", "Skipped due to"},
		model.TimedOut:  {"timed out", "Timed out", "timeout exceeded", "deadline exceeded"},
	} {
		for _, phrase := range phrases {
			if got := FailureOf(model.StringText("It ended: " + phrase + ".")); got != want {
				t.Errorf("%q is %v, want %v", phrase, got, want)
			}
			far := strings.Repeat(" ", 300-len(phrase))
			if near, gone := WordedOutcome(model.StringText(far+phrase)), WordedOutcome(model.StringText(far+" "+phrase)); near != want || gone != model.Unknown {
				t.Errorf("%q at byte %d is %v, one later %v", phrase, len(far), near, gone)
			}
		}
	}
	if got := FailureOf(model.StringText("exit")); got != model.Failure {
		t.Errorf("a plain failure is %v", got)
	}
}

// TestOutcomeOfTexts: exit codes in the first lines, and beginnings that only failures have.
func TestOutcomeOfTexts(t *testing.T) {
	for _, phrase := range []string{"Exit code ", "Exit code: ", "Process exited with code ", "exited with code ", "exit code ", "exit status "} {
		for code, want := range map[int]model.Outcome{0: model.Success, 3: model.Failure, -1: model.Failure} {
			if got := OutcomeOfText(model.StringText(fmt.Sprint("out\n", phrase, code))); got != want {
				t.Errorf("%s%d is %v, want %v", phrase, code, got, want)
			}
		}
		for lines, want := range map[int]bool{0: true, 5: true, 6: false} {
			if _, ok := ExitCode(model.StringText(strings.Repeat("x\n", lines) + phrase + "7")); ok != want {
				t.Errorf("%sbehind %d lines: %v", phrase, lines, ok)
			}
		}
	}
	for text, want := range map[string]model.Outcome{
		"Command failed with exit code 2.\nOutput:\nboom": model.Failure, "Command executed successfully (exit code 0).": model.Success,
		"Command executed in terminal within working directory '/x'. Exit code: 1\nOutput:\n": model.Failure,
		"Output: a\nExit Code: 2\nProcess Group PGID: 7":                                      model.Failure, "Output: a\nExit Code: 0": model.Success, "Command: x\nOutput: a\nExit Code: 1": model.Failure,
		"Output: a\nProcess Group PGID: 7": model.Unknown, "Exit: a\nb\nc\nd\ne\nf\nExit Code: 2": model.Unknown, "Output: Exit Code: 2": model.Unknown,
		"Output: a\nExit Code: 2" + strings.Repeat("x", 286): model.Failure, "Output: a\nExit Code: 2" + strings.Repeat("x", 288): model.Unknown,
		`{"status":"error","message":"x"}`: model.Failure, `{"status":"failed","id":7}`: model.Unknown, `{"status":"success"}`: model.Unknown,
		`{"error":"not found"}`: model.Failure, `{"error":{"code":500}}`: model.Failure, `{"error":true}`: model.Failure, `{"error":""}`: model.Unknown,
		`{"error":null}`: model.Unknown, `{"error":false}`: model.Unknown, `{"error":{}}`: model.Unknown, `[{"error":"x"}]`: model.Unknown,
		`{"error":"slow","result":3}`: model.Unknown, `{"output":"a","error":"slow"}`: model.Unknown, `{"error":"x","data":null,"stdout":""}`: model.Failure,
		`{"success":false}`: model.Failure, `{"success":true}`: model.Unknown, `{"ok":false}`: model.Failure, `{"ok":"false"}`: model.Unknown,
		`{"isError":true}`: model.Failure, `{"is_error":true}`: model.Failure, `{"isError":false,"content":"an error"}`: model.Unknown,
		`{"error":"a timeout, it timed out"}`: model.TimedOut, `{"found":false}`: model.Unknown, `{"inner":{"error":"x"}}`: model.Unknown,
		`{"error":"` + strings.Repeat("x", 16<<10-12) + `"}`: model.Failure, `{"error":"` + strings.Repeat("x", 16<<10-11) + `"}`: model.Unknown,
		"Command executed.\nit has exit code 1": model.Unknown, "A Command failed with exit code 2.": model.Unknown, "Command exit code x": model.Unknown,
	} {
		if got := OutcomeOfText(model.StringText(text)); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
		if got := OutcomeOfText(model.EscapedText([]byte(strings.ReplaceAll(text, "\n", `\n`)))); got != want {
			t.Errorf("%q in JSON is %v, want %v", text, got, want)
		}
	}
	for _, start := range []string{"Error:", "ERROR:", "error:", "Error executing ", "Error calling ", "Error invoking ", "Tool execution failed",
		"Traceback (most recent call last)", "<tool_use_error>", "Exception:", "Your proposed edit has introduced new syntax error(s)"} {
		if got := OutcomeOfText(model.StringText(" " + start + " x")); got != model.Failure {
			t.Errorf("%q is %v", start, got)
		}
		if got := OutcomeOfText(model.StringText("a " + start)); got != model.Unknown {
			t.Errorf("%q in the middle is %v", start, got)
		}
	}
	if got := OutcomeOfText(model.StringText("The user doesn't want to proceed with this tool use")); got != model.Denied {
		t.Error(got)
	}
	if got := OutcomeOfText(model.StringText("[Request interrupted by user]")); got != model.Stopped {
		t.Error(got)
	}
	for text, want := range map[string]int{"-12x": -12, "123456789": 123456789, "1234567890": 123456789, "0": 0} {
		if got, ok := LeadingInt([]byte(text)); got != want || !ok {
			t.Errorf("%s is %d, %v", text, got, ok)
		}
	}
	if _, ok := LeadingInt([]byte("x1")); ok {
		t.Error("a word is a number")
	}
}

// TestInjectedTexts lists the beginnings of texts that programs add under the user's name.
func TestInjectedTexts(t *testing.T) {
	for _, start := range []string{"<system-reminder>", "<system_reminder>", "<environment_context>", "<user_instructions>", "<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>", "<bash-stderr>", "<ide_opened_file>", "<ide_selection>", "<task-notification>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<permissions instructions>", "<turn_aborted>", "<subagent_notification>", "<environment_details>", "<collaboration_mode>", "<skills_instructions>", "<environment_info>", "<editor_context>", "<workspace_info>", "<session_context>", "<git-context>", "<user_info>", "# TODO LIST UPDATE REQUIRED", "# task_progress ", "[ERROR] You did not use a tool", "[TASK RESUMPTION] ", "<qwen:user-prompt-submit-context>", "Caveat: The messages below were generated by the user while running local commands"} {
		if !IsInjected(model.StringText("\n"+start+"x")) || IsInjected(model.StringText("see "+start)) {
			t.Errorf("%q is injected at the beginning only", start)
		}
	}
}

// TestOutcomeOfReports: a report with another exit code than 0 makes a success a failure.
func TestOutcomeOfReports(t *testing.T) {
	for _, c := range []struct {
		recorded model.Outcome
		text     string
		want     model.Outcome
	}{
		{model.Success, "Output: a\nExit Code: 0", model.Success}, {model.Success, "Output: a\nExit Code: 2", model.Failure}, {model.Success, "a", model.Success},
		{model.Success, "Output: it timed out\nExit Code: 2", model.TimedOut}, {model.Failure, "a", model.Failure}, {model.Failure, "it timed out", model.TimedOut},
		{model.Unknown, "Output: a\nExit Code: 2", model.Unknown}, {model.Denied, "Output: a\nExit Code: 2", model.Denied},
	} {
		if got := OutcomeOfReport(c.recorded, model.StringText(c.text)); got != c.want {
			t.Errorf("%v with %q is %v, want %v", c.recorded, c.text, got, c.want)
		}
	}
}

// TestOnlyARole: a message may have a role and at most one other field, except for a text.
func TestOnlyARole(t *testing.T) {
	for message, want := range map[string]bool{
		`{"role":"user"}`: true, `{"role":"user","n":1}`: true, `{"n":[],"role":"user"}`: true, `{"role":"user","n":1,"m":2}`: false, `{"role":"user","name":"a"}`: false, `{"role":"user",`: false,
	} {
		if got := onlyRole([]byte(message)); got != want {
			t.Errorf("%s has only a role: %v", message, got)
		}
	}
	for e, want := range map[*chatEvidence]bool{
		{Messages: 2, Others: 2, Foreign: 1}: true, {Messages: 2, Others: 3}: false, {Messages: 2, Foreign: 2}: false, {}: false, {Messages: 1}: true,
	} {
		if got := e.Enough(); got != want {
			t.Errorf("%d messages, %d others and %d of other formats are enough: %v", e.Messages, e.Others, e.Foreign, got)
		}
	}
}
