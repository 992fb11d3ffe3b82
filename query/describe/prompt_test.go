package describe

import "testing"

func TestHeadsTellNothing(t *testing.T) {
	for text, want := range map[string]string{
		"ERROR:\nParameter `old_str` is required":               "Parameter `old_str` is required",
		"1:1: \"foo(\" must be followed by )\n\nstderr output:": "\"foo(\" must be followed by )",
		"build\nErrors:\n  no rule for x\n  no rule for y":      "no rule for x",
		"one\nerror: two\nthree":                                "error: two",
		"ERROR:":                                                "ERROR:",
		"Files changed:\na.go":                                  "a.go",
		"ok\nin the end:":                                       "in the end:",
	} {
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
