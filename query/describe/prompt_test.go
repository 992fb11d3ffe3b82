package describe

import "testing"

func TestPromptsTellNothing(t *testing.T) {
	for text, want := range map[string]string{
		"ls: cannot access 'x'\n(Open file: n/a)\n(Current directory: /repo)\nbash-$": "ls: cannot access 'x'",
		"two files changed\nbash-5.1$ ":                                               "two files changed",
		"ready\nroot@7f3a:/work#":                                                     "ready",
		"it costs 5$":                                                                 "it costs 5$",
		"chapter C#":                                                                  "chapter C#",
		"(Open file: /a/b.py)\nline 3: undefined: x\n":                                "undefined: x",
	} {
		if got := tellingLine(text); got != want && got != "line 3: "+want {
			t.Errorf("%q tells %q, want %q", text, got, want)
		}
	}
}
