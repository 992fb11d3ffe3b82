package human

import (
	"fmt"
	"strings"
	"testing"
)

// TestCutsHoldNoSecret: no cut leaves a part of a secret, wherever the secret is in the text.
func TestCutsHoldNoSecret(t *testing.T) {
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEq7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc\n", 30) + "-----END OPENSSH PRIVATE KEY-----"
	planted := []struct{ before, secret, after string }{
		{"", "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz", ""},
		{"MISTRAL_API_KEY=", "q7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc", ""},
		{"https://bob:", "Tr0ub4dor3kQz9mVx", "@db.internal.net/orders"},
		{"https://bob:", "Tr0ub4dor3kQz9mVx", "@" + strings.Repeat("sub.", 40) + "net/orders"},
		{`{"user":"bob","password":"`, "hG7kPq2zLm9Rw4TxVb6N", `"}`},
		{"", key, ""},
		{"\x1b[1mpassword:\x1b[0m ", "\x1b[32mZx8Cv3Bn6Mq1Wl5K\x1b[0m", ""},
		{"Authorization: Bearer ", "k9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc7Wn3Zq", ""},
		{"AccountName=a;AccountKey=", "q7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc5Tg7Uj9Ik1Ol3Pz5Xc7Vb9Nm==", ";EndpointSuffix=core"},
		{"<apiKey>", "q7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc", "</apiKey>"},
		{"curl -u bob:", "Tr0ub4dor3kQz9mVx", " https://db.internal.net/orders"},
	}
	const room = 60
	cuts := map[string]func(s string) string{
		"CutText":   func(s string) string { return CutText(s, room) },
		"CutFront":  func(s string) string { return CutFront(s, room) },
		"CutMiddle": func(s string) string { return CutMiddle(s, room) },
		"CutRunes":  func(s string) string { return CutRunes(s, room) },
		"CutBytes":  func(s string) string { return CutBytes(s, room) },
		"OneLine":   func(s string) string { return OneLine(s, room) },
		"Uncover":   func(s string) string { part, _ := Uncover(s, 30, 90, nil); return part },
	}
	for name, cut := range cuts {
		for _, p := range planted {
			for n := range 120 {
				text := strings.Repeat("word ", n/5+1)[:n] + " " + p.before + p.secret + p.after + strings.Repeat(" word", 30)
				got := cut(text)
				if got == text {
					t.Fatalf("%s does not cut %q", name, text)
				}
				for i := 0; i+9 <= len(p.secret); i++ {
					if part := p.secret[i : i+9]; !strings.Contains("-----BEGIN OPENSSH PRIVATE KEY----------END OPENSSH PRIVATE KEY-----", part) && strings.Contains(got, part) {
						t.Fatalf("%s leaves %q of a secret behind %d characters: %q", name, part, n, got)
					}
				}
			}
		}
	}
}

// TestCutsOfPlainText: text without secrets is cut as usual, and text that fits is unchanged.
func TestCutsOfPlainText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{CutText("the quick brown fox", 10), "the quick…"},
		{CutText("token ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz", 80), "token ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"},
		{CutFront("/home/me/project/file.go", 12), "…ect/file.go"},
		{CutMiddle("mcp__github__create_pull_request", 20), "mcp__github__…equest"},
		{CutRunes("äöüß", 3), "äö…"},
		{CutBytes("aä", 2), "a"},
		{OneLine("a\nb\tc   d", 80), "a b c d"},
		{CutText("日本語のテキスト", 7), "日本語…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestUncoverMovesRanges: ranges move with a replacement before them; ranges in a secret go.
func TestUncoverMovesRanges(t *testing.T) {
	const secret = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
	text := "0123456789 find " + secret + " find me " + strings.Repeat("and on ", 9)
	at := strings.LastIndex(text, "find")
	part, ranges := Uncover(text, 11, at+12, [][2]int{{11, 15}, {20, 25}, {at, at + 4}, {at + 20, at + 22}})
	if part != "find [redacted:github-token] find me and " || fmt.Sprint(ranges) != "[[0 4] [29 33]]" {
		t.Errorf("%q %v", part, ranges)
	}
	if part, ranges := Uncover(text, 0, len(text), [][2]int{{1, 2}}); part != text || len(ranges) != 1 {
		t.Errorf("all of it: %q %v", part, ranges)
	}
}

// TestReachOfCuts: a cut looks for secrets up to the first blank 128 bytes after it, at most 16 KiB
// after it. A part from the middle looks 4 KiB around.
func TestReachOfCuts(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{strings.Repeat("a ", 5_000), 100 + 128 + 1},
		{strings.Repeat("a", 50_000), 100 + 16<<10},
		{strings.Repeat("a", 100+16<<10), 100 + 16<<10},
	} {
		if got := len(head(c.text, 100)); got != c.want {
			t.Errorf("%d of %d bytes, want %d", got, len(c.text), c.want)
		}
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("b3BlbnNzaC1rZXktdjEq7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc\n", 400)
	for before, want := range map[int]bool{4_096: true, 4_097: false} {
		part, _ := Uncover(key, before, before+8, nil)
		if got := part == "[redacted:private-key]"; got != want {
			t.Errorf("%d bytes after its begin, a part of a key is %q", before, part)
		}
	}
}
