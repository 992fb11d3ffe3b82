package kit

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// wording is a phrase that agents and models write into a result, with the outcome that it implies.
type wording struct {
	Phrase  string
	Outcome model.Outcome
}

// Wordings are searched for, in this order, at the beginning of failed results. They refine how the
// call failed.
var Wordings = []wording{
	{"The user doesn't want to proceed with this tool use", model.Denied},
	{"The user doesn't want to take this action right now", model.Denied},
	{"requested permissions to", model.Denied},
	{"Permission to use", model.Denied},
	{"permission was denied", model.Denied},
	{"User denied", model.Denied},
	{"User did not allow", model.Denied},
	{"The user denied", model.Denied},
	{"denied by the user", model.Denied},
	{"denied by user", model.Denied},
	{"User rejected", model.Denied},
	{"rejected by user", model.Denied},
	{"rejected by the user", model.Denied},
	{"The user rejected", model.Denied},
	{"user declined", model.Denied},
	{"execution denied", model.Denied},
	{"[Request interrupted by user", model.Stopped},
	{"Interrupted by user", model.Stopped},
	{"interrupted by the user", model.Stopped},
	{"Request was aborted", model.Stopped},
	{"aborted by user", model.Stopped},
	{"aborted by the user", model.Stopped},
	{"user aborted", model.Stopped},
	{"was interrupted", model.Stopped},
	{"Cancelled: parallel tool call", model.Cancelled},
	{"Sibling tool call errored", model.Cancelled},
	{"<tool_use_error>Cancelled", model.Cancelled},
	{"was cancelled", model.Cancelled},
	{"was canceled", model.Cancelled},
	{"cancelled by", model.Cancelled},
	{"Skipped due to", model.Cancelled},
	{"timed out", model.TimedOut},
	{"Timed out", model.TimedOut},
	{"timeout exceeded", model.TimedOut},
	{"deadline exceeded", model.TimedOut},
}

// wordingPairs has, by the first byte of the wordings, a bit for each second byte: it rules out
// most places of a text.
var wordingPairs = func() (pairs [256]uint64) {
	for i := range Wordings {
		phrase := Wordings[i].Phrase
		pairs[phrase[0]] |= 1 << (phrase[1] % 64)
	}
	return pairs
}()

// ExitPhrases are the phrases before an exit code in the text of a result.
var ExitPhrases = []string{
	"Exit code ", "Exit code: ", "Process exited with code ", "exited with code ", "exit code ", "exit status ",
}

// failurePrefixes begin the results of failed calls in formats without a field for failure: the
// programs that run tools write them into the text.
var failurePrefixes = []string{
	"Error:", "ERROR:", "error:", "Error executing ", "Error calling ", "Error invoking ", "Tool execution failed", "Traceback (most recent call last)",
	"<tool_use_error>", "Exception:", "Your proposed edit has introduced new syntax error",
}

// OutcomeWindow is how many bytes of a text are searched for wordings. They are at its beginning,
// and a result may have megabytes.
const OutcomeWindow = 300

// Head returns the first bytes of a text, as recorded.
func Head(t model.Text, n int) []byte {
	raw := t.Raw()
	return raw[:min(len(raw), n)]
}

// HasPrefix is bytes.HasPrefix for a string, without a copy.
func HasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// Contains is bytes.Contains for a nonempty string, without a copy.
func Contains(b []byte, s string) bool {
	for len(b) >= len(s) {
		i := bytes.IndexByte(b, s[0])
		if i < 0 {
			return false
		}
		if b = b[i:]; HasPrefix(b, s) {
			return true
		}
		b = b[1:]
	}
	return false
}

// FailureOf returns the outcome of a failed result. The wording of its text distinguishes a denial,
// an interruption, a cancellation and a timeout from a plain failure.
func FailureOf(t model.Text) model.Outcome {
	if o := WordedOutcome(t); o != model.Unknown {
		return o
	}
	return model.Failure
}

// WordedOutcome returns the outcome that the wording at the beginning of a text implies, Unknown if
// there is none. Call it only if other evidence excludes success, because a file that the agent
// read may contain the same words.
func WordedOutcome(t model.Text) model.Outcome {
	text := Head(t, OutcomeWindow)
	first := len(Wordings) // index of the first wording found
	for i := 0; i+1 < len(text); i++ {
		if wordingPairs[text[i]]>>(text[i+1]%64)&1 == 0 {
			continue
		}
		for _, n := range wordingsWith[text[i]] {
			if n >= first {
				break
			}
			if HasPrefix(text[i:], Wordings[n].Phrase) {
				first = n
				break
			}
		}
	}
	if first == len(Wordings) {
		return model.Unknown
	}
	return Wordings[first].Outcome
}

// wordingsWith has the wordings that begin with a byte, in order.
var wordingsWith = func() (with [256][]int) {
	for i := range Wordings {
		b := Wordings[i].Phrase[0]
		with[b] = append(with[b], i)
	}
	return with
}()

// ExitCode finds "Exit code N", "Process exited with code N" and similar phrases on a separate line
// at the beginning of a result, or in the sentence of Cline and Roo Code above an output: "Command
// failed with exit code N.".
func ExitCode(t model.Text) (code int, ok bool) {
	text := Head(t, OutcomeWindow)
	if HasPrefix(text, "Command ") {
		first := text[:len(text)-len(NextLine(t.Encoding(), text))]
		for _, phrase := range ExitPhrases {
			if i := bytes.Index(first, []byte(phrase)); i >= 0 {
				return LeadingInt(first[i+len(phrase):])
			}
		}
	}
	if code, ok := ReportedExit(t); ok {
		return code, ok
	}
	for line := 0; line < 6 && len(text) > 0; line++ {
		if text[0] == 'E' || text[0] == 'e' || text[0] == 'P' { // first bytes of the phrases
			for _, phrase := range ExitPhrases {
				if HasPrefix(text, phrase) {
					return LeadingInt(text[len(phrase):])
				}
			}
		}
		text = NextLine(t.Encoding(), text)
	}
	return 0, false
}

// reportTail is how many bytes at the end of a report contain its exit code. The lines below it are
// a signal and the numbers of processes.
const reportTail = 300

// ReportedExit finds the exit code in the report that the shell of Gemini CLI and its relatives
// returns: "Output: …", and below it "Exit Code: N". They record such a call as a success.
func ReportedExit(t model.Text) (code int, ok bool) {
	raw := t.Raw()
	if !HasPrefix(raw, "Output: ") && !HasPrefix(raw, "Command: ") {
		return 0, false
	}
	for text := NextLine(t.Encoding(), raw[max(0, len(raw)-reportTail):]); len(text) > 0; text = NextLine(t.Encoding(), text) {
		if HasPrefix(text, "Exit Code: ") {
			code, ok = LeadingInt(text[len("Exit Code: "):])
		}
	}
	return code, ok
}

// OutcomeOfReport returns the outcome of a call with the recorded outcome o and this result. A
// report with an exit code other than 0 makes a success a failure.
func OutcomeOfReport(o model.Outcome, result model.Text) model.Outcome {
	if code, ok := ReportedExit(result); o == model.Failure || o == model.Success && ok && code != 0 {
		return FailureOf(result)
	}
	return o
}

// NextLine returns the text after the first line break, which may be escaped.
func NextLine(enc model.Encoding, text []byte) []byte {
	sep := "\n"
	if enc == model.JSONString {
		sep = `\n`
	}
	if i := bytes.Index(text, []byte(sep)); i >= 0 {
		return text[i+len(sep):]
	}
	return nil
}

// LeadingInt reads the number, at most nine digits and a sign, that a text begins with.
func LeadingInt(b []byte) (n int, ok bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	for i, c := range b {
		if c < '0' || c > '9' || i == 9 {
			break
		}
		n, ok = n*10+int(c-'0'), true
	}
	if neg {
		n = -n
	}
	return n, ok
}

// OutcomeOfExit returns the outcome that an exit code means.
func OutcomeOfExit(code int) model.Outcome {
	if code == 0 {
		return model.Success
	}
	return model.Failure
}

// OutcomeOfText judges a result only by its text, for formats without a field for failure: by an
// exit code, or by a beginning that only failures have. Otherwise it returns Unknown.
func OutcomeOfText(t model.Text) model.Outcome {
	if code, ok := ExitCode(t); ok {
		if code == 0 {
			return model.Success
		}
		return FailureOf(t)
	}
	text := Head(t.TrimSpace(), OutcomeWindow)
	for _, prefix := range failurePrefixes {
		if HasPrefix(text, prefix) {
			return FailureOf(t)
		}
	}
	for _, prefix := range []string{"The user doesn't want to", "[Request interrupted by user"} {
		if HasPrefix(text, prefix) {
			return FailureOf(t)
		}
	}
	if HasPrefix(text, "{") && reportsFailure(t) {
		return FailureOf(t)
	}
	return model.Unknown
}

// reportMax is the most bytes of an object that may report a failure.
const reportMax = 16 << 10

// reportsFailure reports whether a result is an object for a failure. Functions that only return
// data use it: {"status":"error",…}, {"success":false,…}, {"error":"not found"}. An error next to a
// result is a warning.
func reportsFailure(t model.Text) bool {
	raw := t.Raw()
	if len(raw) > reportMax || !bytes.Contains(raw, []byte("rror")) && !bytes.Contains(raw, []byte("false")) {
		return false
	}
	c := jsonspan.New([]byte(t.String()))
	failed, answered := false, false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "error":
			v := c.Skip()
			failed = failed || !IsEmpty(v) && len(v) != len("false")
		case "status":
			failed = string(c.String()) == "error" || failed
		case "success", "ok":
			failed = string(c.Skip()) == "false" || failed
		case "isError", "is_error":
			failed = IsTrue(c.Skip()) || failed
		case "result", "output", "data", "stdout":
			answered = !IsEmpty(c.Skip()) || answered
		default:
			c.Skip()
		}
	}
	return failed && !answered
}

// OutcomeOfStatus reads the words of formats for the end of a call, a result or a session; ok is
// false for any other word.
func OutcomeOfStatus(status []byte) (o model.Outcome, ok bool) {
	switch string(status) {
	case "success", "succeeded", "completed", "complete", "ok", "done", "finished", "passed":
		return model.Success, true
	case "error", "failure", "failed", "errored", "fail":
		return model.Failure, true
	case "denied", "declined", "rejected", "output-denied", "execution-denied":
		return model.Denied, true
	case "interrupted", "aborted", "stopped", "abort":
		return model.Stopped, true
	case "cancelled", "canceled", "skipped":
		return model.Cancelled, true
	case "timeout", "timed_out", "timedout", "time_limit":
		return model.TimedOut, true
	case "partial":
		return model.Half, true
	case "pending", "running", "in_progress", "started", "queued":
		return model.Running, true
	}
	return model.Unknown, false
}

// StopOf reads the words that APIs use for why a response ended.
func StopOf(reason []byte) model.Stop {
	switch string(reason) {
	case "stop", "end_turn", "stop_sequence", "STOP", "completed", "eos", "end":
		return model.StopEnd
	case "tool_calls", "tool_use", "function_call", "tool-calls", "toolUse", "tool_call":
		return model.StopTool
	case "length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded":
		return model.StopLength
	case "content_filter", "refusal", "SAFETY", "content-filter", "guardrail_intervened", "RECITATION", "PROHIBITED_CONTENT":
		return model.StopRefusal
	case "error", "failed", "MALFORMED_FUNCTION_CALL":
		return model.StopError
	case "aborted", "cancelled", "canceled", "interrupted":
		return model.StopAborted
	}
	return model.StopUnknown
}

// SetStop sets why a response ended, and the corresponding flags.
func SetStop(f *model.Fact, reason []byte) {
	f.Stop = StopOf(reason)
	switch f.Stop {
	case model.StopLength:
		f.Flags |= model.Truncated
	case model.StopRefusal:
		f.Flags |= model.Refused
	case model.StopError:
		f.Flags |= model.APIError
		f.Outcome = model.Failure
	case model.StopAborted:
		f.Flags |= model.Interrupted
		f.Outcome = model.Stopped
	}
}

// injectedPrefixes begin texts that a program put into the user's mouth.
var injectedPrefixes = []string{
	"<system-reminder>", "<system_reminder>", "<environment_context>", "<user_instructions>", "<command-name>", "<command-message>",
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>", "<bash-stderr>", "<ide_opened_file>",
	"<ide_selection>", "<task-notification>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<permissions instructions>",
	"<turn_aborted>", "<subagent_notification>", "<environment_details>", "<collaboration_mode>", "<skills_instructions>",
	"<environment_info>", "<editor_context>", "<workspace_info>", "<session_context>", "<git-context>", "<user_info>",
	"# TODO LIST UPDATE REQUIRED", "# task_progress ", "[ERROR] You did not use a tool", "[TASK RESUMPTION] ",
	"<qwen:user-prompt-submit-context>", "[The user has switched to ", "(The user did not provide a new message",
	"Caveat: The messages below were generated by the user while running local commands",
}

// IsInjected reports by its beginning whether a user's text was injected by a program.
func IsInjected(t model.Text) bool {
	raw := Head(t.TrimSpace(), 120)
	if len(raw) == 0 || !strings.ContainsRune("<#[(C\\", rune(raw[0])) {
		return false
	}
	var buf [160]byte
	if raw[0] == '\\' && t.Encoding() == model.JSONString { // Go writes < as \u003c
		raw = model.EscapedText(raw).Append(buf[:0])
	}
	return slices.ContainsFunc(injectedPrefixes, func(prefix string) bool { return HasPrefix(raw, prefix) })
}
