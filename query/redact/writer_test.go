package redact

import (
	"bytes"
	"strings"
	"testing"
)

// keyLines returns a private key with a prefix before each line.
func keyLines(prefix, newline string) string {
	lines := []string{"-----BEGIN RSA PRIVATE KEY-----"}
	for range 12 {
		lines = append(lines, "MIIEpAIBAAKCAQEAq7Zb3xTnK9vJdW4uYh2RfLsPmEoGiCtQ0NwX8aVkB6y5HzSj")
	}
	lines = append(lines, "-----END RSA PRIVATE KEY-----")
	return prefix + strings.Join(lines, newline+prefix)
}

// TestWriter: secrets are replaced in writes of any size, including keys over several lines.
func TestWriter(t *testing.T) {
	token := "ghp_" + "R4nd0mT0k3nR4nd0mT0k3nR4nd0mT0k3n99"
	for name, text := range map[string]string{
		"nothing":            "one\ntwo\n\nthree",
		"a line":             "a\n" + token + "\nb\n",
		"no end":             "a\n" + token,
		"a key":              "a\n" + keyLines("", "\n") + "\nb\n",
		"a quoted key":       "a\n" + keyLines("#### ", "\n") + "\nb\n",
		"lines of Windows":   "a\r\n" + keyLines("", "\r\n") + "\r\nb\r\n",
		"a key without end":  "a\n" + strings.TrimSuffix(keyLines("", "\n"), "-----END RSA PRIVATE KEY-----"),
		"two keys":           keyLines("", "\n") + "\n" + keyLines("", "\n") + "\n",
		"a key in JSON":      `{"a":"` + keyLines("", `\n`) + `"}` + "\n{}\n",
		"the words of a key": "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("not a key at all\n", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			r := New()
			want, n := r.Redact(nil, []byte(text))
			for _, size := range []int{1, 7, 64, len(text)} {
				var out bytes.Buffer
				w := r.Writer(&out)
				for p := []byte(text); len(p) > 0; {
					k := min(size, len(p))
					if got, err := w.Write(p[:k]); got != k || err != nil {
						t.Fatal(got, err)
					}
					p = p[k:]
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if out.String() != string(want) || w.Replaced() != n {
					t.Errorf("in pieces of %d, %d replaced:\n%s\nwhole, %d:\n%s", size, w.Replaced(), out.String(), n, want)
				}
			}
		})
	}
}
