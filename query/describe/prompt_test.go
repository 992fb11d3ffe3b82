package describe

import "testing"

func TestHeadsTellNothing(t *testing.T) {
	tell(t, map[string]string{
		"ERROR:\nParameter `old_str` is required":               "Parameter `old_str` is required",
		"1:1: \"foo(\" must be followed by )\n\nstderr output:": "\"foo(\" must be followed by )",
		"build\nErrors:\n  no rule for x\n  no rule for y":      "no rule for x",
		"one\nerror: two\nthree":                                "error: two",
		"ERROR:":                                                "ERROR:",
		"Files changed:\na.go":                                  "a.go",
		"ok\nin the end:":                                       "in the end:",
	})
}

// TestLinesAfterAFailureTellNothing: the cause is above the closing lines of a test runner.
func TestLinesAfterAFailureTellNothing(t *testing.T) {
	tell(t, map[string]string{
		"--- FAIL: TestTide (0.00s)\nFAIL\nFAIL\tquay/tide\t0.004s\nFAIL": "--- FAIL: TestTide (0.00s)",
		"a.ts(9,5): error TS2353: no property\nnpm error Lifecycle script `check` failed with error:\nnpm error code 2\nnpm error path /quay\nnpm error command sh -c tsc\nnpm error A complete log of this run can be found in: /x.log": "a.ts(9,5): error TS2353: no property",
		"1 of 4 tests failed\n ELIFECYCLE  Test failed. See above for more details.": "1 of 4 tests failed",
		"cannot bind port 80\n\nCommand exited with code 1":                          "cannot bind port 80",
		"╷\n│ Error: No value for required variable\n│ \n╵":                          "Error: No value for required variable",
		"FAIL": "",
	})
}

// tell compares the telling lines of texts.
func tell(t *testing.T, lines map[string]string) {
	t.Helper()
	for text, want := range lines {
		if got := tellingLine(text); got != want {
			t.Errorf("%q tells %q, want %q", text, got, want)
		}
	}
}

func TestPromptsTellNothing(t *testing.T) {
	for text, want := range map[string]string{
		"ls: cannot access 'x'\n(Open file: n/a)\n(Current directory: /repo)\nbash-$": "ls: cannot access 'x'",
		"ready\n$":                      "ready",
		"two files changed\nbash-5.1$ ": "two files changed",
		"ready\nroot@7f3a:/work#":       "ready",
		"it costs 5$":                   "it costs 5$",
		"chapter C#":                    "chapter C#",
		"(Open file: /a/b.py)\nline 3: undefined: x\n": "undefined: x",
	} {
		if got := tellingLine(text); got != want && got != "line 3: "+want {
			t.Errorf("%q tells %q, want %q", text, got, want)
		}
	}
}

// TestLinesOfPrograms: the row of a text shows its content, not its title or its first bracket.
func TestLinesOfPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"New Terminal Output:\n\nroot@box:/app# make\nok": "root@box:/app# make",
		"Current Terminal Screen:\n$ ls":                  "$ ls",
		"New Terminal Output:\n":                          "New Terminal Output:",
		"{\n  \"plan\": \"paint\"\n}":                     `{ "plan": "paint" }`,
	} {
		if got, _ := injectedLine(text); got != want {
			t.Errorf("%q has the row %q, want %q", text, got, want)
		}
	}
}
