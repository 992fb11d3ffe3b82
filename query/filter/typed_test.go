package filter_test

import (
	"testing"

	"turns/query/filter"
)

func TestWhatIsTypedIsARegexWhereItWasMeant(t *testing.T) {
	for text, want := range map[string]string{
		"timeout":         "timeout",
		"main.go":         "main.go",
		"f(x)":            "f(x)",
		"a[0]":            "a[0]",
		"why?":            "why?",
		"C++":             "C++",
		"a | b":           "a | b",
		"cost $5":         "cost $5",
		"*.go":            "*.go",
		"#[derive(Debug)": "#[derive(Debug)",
		"--flag=a-b":      "--flag=a-b",
		"$HOME":           "$HOME",
		`timeout \d+`:     `/timeout \d+/`,
		"error|panic":     "/error|panic/",
		"(read|write) it": "/(read|write) it/",
		"read.*file":      "/read.*file/",
		"^Traceback":      "/^Traceback/",
		"done$":           "/done$/",
		"[a-z]+_test":     "/[a-z]+_test/",
		`ui/\w+\.go`:      `/ui\/\w+\.go/`,
		`a\/b.*`:          `/a\/b.*/`,
		"/x/i":            "/x/i",
		`\d(`:             `\d(`, // no regex at all
	} {
		src, regex := filter.Typed(text)
		if src != want || regex != (want[0] == '/' && want != text || text == "/x/i") {
			t.Errorf("%q is looked for as %q (regex: %t), want %q", text, src, regex, want)
		}
		if _, err := filter.NewPattern(src, true); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
