package redact

import (
	"sort"
	"strings"
	"testing"
)

// TestDistancesOfSecrets: the maximum length of a value, and its distance from its context.
func TestDistancesOfSecrets(t *testing.T) {
	r := New()
	mixed := func(n int) string { return strings.Repeat(bareValue, n/len(bareValue)+1)[:n] }
	for _, c := range []struct {
		rule  string
		least int // a text of this size contains a secret
		most  int // the largest size with a secret
		text  func(n int) string
	}{
		{"an option up to 400 bytes after the beginning of its command", 1, 395, func(n int) string { return "mysql" + strings.Repeat(" ", n) + "-phunter2x" }},
		{"a cookie in the first 8 kB of a header", 0, 8160, func(n int) string { return "Cookie: a=" + strings.Repeat("b", n) + "; sid=" + bareValue }},
		{"the data of a Kubernetes secret, up to 2 kB after its kind", 0, 2014, func(n int) string {
			return "kind: Secret\n" + strings.Repeat("#", n) + "\ndata:\n  db: aHVudGVy\n"
		}},
		{"a column of a table, up to 8 kB below its title", 1, 8159, func(n int) string {
			return "| user | password |\n|---|---|\n| " + strings.Repeat("b", n) + " | none |\n| eve | hG7kPq2zLm9Rw4 |\n"
		}},
		{"a value of less than 16 kB in quotes", 8, 16_383, func(n int) string { return `"api_key": "` + mixed(n) + `"` }},
		{"a value of 4 kB without quotes", 10, 4096, func(n int) string { return "API_KEY=" + mixed(n) + "\n" }},
		{"a password of less than 4 kB in the environment", 4, 4095, func(n int) string { return "DB_PASSWORD=" + mixed(n) + "\n" }},
		{"a value of 1 kB behind a name with an invisible character", 8, 1016, func(n int) string { return "\"api_\u200bkey\": \"" + mixed(n) + `"` }},
		{"a value whose first 256 bytes look random", 0, 173, func(n int) string { return `"api_key": "` + strings.Repeat("a", n) + mixed(300) + `"` }},
	} {
		found := func(n int) bool { return len(r.Find([]byte(c.text(n)))) > 0 }
		if !found(c.least) {
			t.Errorf("%s: %d bytes hold none", c.rule, c.least)
		}
		if n := c.least - 1 + sort.Search(4*c.most, func(n int) bool { return !found(c.least + n) }); n != c.most {
			t.Errorf("%s: found up to %d bytes, want %d", c.rule, n, c.most)
		}
	}
}

// TestLongestSecrets: a secret up to its maximum length is replaced completely.
func TestLongestSecrets(t *testing.T) {
	mixed := strings.Repeat(bareValue, 2000)
	for _, c := range []struct {
		rule, begin, end string
		most             int
	}{
		{"a private key whose last line begins in 32 kB", "-----BEGIN RSA PRIVATE KEY-----\n", "\n-----END RSA PRIVATE KEY-----", 32<<10 - 1 + len("-----END RSA PRIVATE KEY-----")},
		{"2 kB of a session token in a URL", "xoxd-", "%2Bxyz", 5 + 2<<10},
		{"256 bytes of a webhook of Teams", "webhook.office.com/webhookb2/", "/IncomingWebhook/x", 29 + 256},
		{"200 bytes of a webhook of Slack", "hooks.slack.com/services/T-", "", 25 + 200},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			text := c.begin + mixed[:n-len(c.begin)-len(c.end)] + c.end
			out, _ := New().RedactString(text)
			if whole := strings.HasSuffix(out, "]"); !strings.Contains(out, marker) || whole != (n == c.most) {
				t.Errorf("%s: of %d bytes, this is left: %q", c.rule, n, out)
			}
		}
	}
}

// TestWordsOfASeed: a seed phrase has 12 to 24 words; further words are plain text.
func TestWordsOfASeed(t *testing.T) {
	words := strings.Fields("abandon ability able about above absent absorb abstract absurd abuse access accident account accuse " +
		"achieve acid acoustic acquire across act action actor actress actual adapt")
	for n, want := range map[int]string{11: strings.Join(words[:11], " "), 12: "[redacted:seed-phrase]", 24: "[redacted:seed-phrase]", 25: "[redacted:seed-phrase] adapt"} {
		if out, _ := New().RedactString("seed phrase: " + strings.Join(words[:n], " ")); out != "seed phrase: "+want {
			t.Errorf("%d words: %q", n, out)
		}
	}
}

// TestLongestNames: the name of a user has at most 40 letters, that of a host 63.
func TestLongestNames(t *testing.T) {
	for _, c := range []struct {
		letters int
		of      func(name string) Own
		want    bool
	}{
		{40, func(name string) Own { return Own{User: name} }, true},
		{41, func(name string) Own { return Own{User: name} }, false},
		{63, func(name string) Own { return Own{Host: name} }, true},
		{64, func(name string) Own { return Own{Host: name} }, false},
	} {
		name := strings.Repeat("q", c.letters)
		out, _ := NewNames(c.of(name)).Redactor(false).RedactString("by " + name + " today")
		if got := !strings.Contains(out, name); got != c.want {
			t.Errorf("%d letters: replaced is %v, want %v: %s", c.letters, got, c.want, out)
		}
	}
}

// TestLongestFirstNames: a name is known elsewhere if its first word has at most 63 letters.
func TestLongestFirstNames(t *testing.T) {
	for letters, want := range map[int]bool{63: true, 64: false} {
		name := "Q" + strings.Repeat("q", letters-1) + " Maron"
		n := NewNames(Own{})
		n.Learn([]byte("Author: " + name + " <q@maron.de>"))
		if out := n.String("by " + name + " today"); strings.Contains(out, name) == want {
			t.Errorf("%d letters: %s", letters, out)
		}
	}
}

// TestValuesAtTheEndOfATable: a value at the limit of a table is replaced completely or not at all.
func TestValuesAtTheEndOfATable(t *testing.T) {
	const secret = "hG7kPq2zLm9Rw4"
	r := New()
	for _, table := range []struct{ head, end string }{
		{"| user | password |\n|---|---|\n| ", " | none |\n| eve | " + secret + " |\n"},
		{"| user | password | |---|---| | ", " | none | | eve | " + secret + " |"},
	} {
		for n := 8140; n < 8164; n++ {
			out, found := r.RedactString(table.head + strings.Repeat("b", n) + table.end)
			if whole := strings.Contains(out, secret); whole != (found == 0) || !whole && strings.Contains(out, secret[8:]) {
				t.Fatalf("%d bytes: %d secrets, left is %q", n, found, out[len(out)-50:])
			}
		}
	}
}
