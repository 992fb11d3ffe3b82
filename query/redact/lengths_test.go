package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestLengthsOfSecrets: text is a secret from a least to a greatest length of one of its parts.
func TestLengthsOfSecrets(t *testing.T) {
	r := New()
	mixed := func(n int) string { return strings.Repeat(bareValue, n/len(bareValue)+1)[:n] }
	hex := func(n int) string { return strings.Repeat("9f86d081884c7d65", n/16+1)[:n] }
	seed := func(word, gap string) string { return "seed phrase: " + strings.Repeat(word+gap, 12) }
	for _, c := range []struct {
		part        string
		least, most int // most 0: no limit
		text        func(n int) string
	}{
		{"the first part of a key of SendGrid", 16, 32, func(n int) string { return "SG." + mixed(n) + "." + mixed(43) }},
		{"the second part of a key of SendGrid", 32, 64, func(n int) string { return "SG." + mixed(22) + "." + mixed(n) }},
		{"a key of Twilio", 32, 32, func(n int) string { return "SK" + hex(n) }},
		{"a key of OpenAI", 20, 0, func(n int) string { return "sk-" + mixed(n) }},
		{"a key of Sentry", 74, 0, func(n int) string { return "sntrys_" + mixed(n) }},
		{"the second part of a key of Resend", 24, 28, func(n int) string { return "re_" + mixed(8) + "_" + mixed(n) }},
		{"a token of Terraform", 52, 0, func(n int) string { return mixed(14) + ".atlasv1." + mixed(n) }},
		{"the beginning of a token of Terraform", 14, 14, func(n int) string { return mixed(n) + ".atlasv1." + mixed(67) }},
		{"a token of Slack", 16, 0, func(n int) string { return "xoxb-" + mixed(n) }},
		{"a webhook of Slack", 24, 0, func(n int) string { return "hooks.slack.com/services/" + mixed(n) }},
		{"a webhook of Teams", 83, 0, func(n int) string { return "webhook.office.com/webhookb2/" + mixed(n) + "/IncomingWebhook/x" }},
		{"the time of a token of Discord", 6, 6, func(n int) string { return "MTA1NjYxODQxNzY4NDQ4NDEx." + mixed(n) + "." + mixed(38) }},
		{"the signature of a token of Discord", 27, 40, func(n int) string { return "MTA1NjYxODQxNzY4NDQ4NDEx.Ga1b2C." + mixed(n) }},
		{"the number of a bot of Telegram", 8, 11, func(n int) string { return strings.Repeat("9012345678", n/10+1)[:n] + ":AA" + mixed(33) }},
		{"the key of a bot of Telegram", 32, 34, func(n int) string { return "1234567890:AA" + mixed(n) }},
		{"a key of Azure AD", 31, 34, func(n int) string { return "a1B2Q~" + mixed(n) }},
		{"the signature of an address", 40, 0, func(n int) string { return "?sig=" + mixed(n) }},
		{"the first part of a JSON Web Token", 9, 0, func(n int) string { return "eyJ" + mixed(n) + ".eyJzdWIi." + mixed(43) }},
		{"the second part of a JSON Web Token", 2, 0, func(n int) string { return jwt()[:36] + ".eyJ" + mixed(n) + "." + mixed(43) }},
		{"the signature of a JSON Web Token", 10, 0, func(n int) string { return jwt()[:36] + ".eyJzdWIi." + mixed(n) }},
		{"a bearer token", 16, 0, func(n int) string { return "Bearer " + mixed(n) }},
		{"a token in an address", 16, 0, func(n int) string { return "https://" + mixed(n) + "@h.example/x" }},
		{"a password in an address", 3, 0, func(n int) string { return "https://bob:" + mixed(n) + "@h.example/x" }},
		{"a password that is the user", 6, 0, func(n int) string { return "https://" + mixed(n) + ":" + mixed(n) + "@h.example/x" }},
		{"a key in an address", 16, 0, func(n int) string { return "h/x?key=" + mixed(n) + "&b=1" }},
		{"a password in the parameters of an address", 6, 0, func(n int) string { return "h/x?pass=" + mixed(n) + "&b=1" }},
		{"a cookie of curl", 16, 0, func(n int) string { return "curl -b sid=" + mixed(n) + " h" }},
		{"a cookie in a header", 16, 0, func(n int) string { return "Cookie: sid=" + mixed(n) }},
		{"a cookie in a file", 16, 0, func(n int) string { return ".h.example.net\tTRUE\t/\tTRUE\t0\tsessionid\t" + mixed(n) }},
		{"a password in .netrc", 3, 255, func(n int) string { return "machine h.x login bob password " + mixed(n) }},
		{"a user in .netrc", 1, 256, func(n int) string { return "machine h.x login " + mixed(n) + " password hunter22x" }},
		{"a password of a command", 3, 255, func(n int) string { return "sshpass -p " + mixed(n) }},
		{"a password of a command, in quotes", 3, 255, func(n int) string { return "sshpass -p '" + mixed(n) + "'" }},
		{"a token of a command, without a password", 10, 0, func(n int) string { return "curl -u " + mixed(n) + ": h" }},
		{"a key of PuTTY", 24, 0, func(n int) string { return "Private-Lines: 90\n" + mixed(n) + "\nPrivate-MAC: 00" }},
		{"a key of minisign", 100, 0, func(n int) string { return "encrypted secret key\n" + mixed(n) }},
		{"a JSON Web Key", 40, 0, func(n int) string { return `{"kty":"RSA","d":"` + mixed(n) + `"}` }},
		{"a key of .NET", 80, 0, func(n int) string { return "<D>" + mixed(n) + "</D>" }},
		{"a hash of a password", 12, 0, func(n int) string { return "bob:$6$salt$" + mixed(n) + ":19000" }},
		{"the words of a seed phrase", 3, 8, func(n int) string { return seed(strings.Repeat("abcdef", n/6+1)[:n], " ") }},
		{"the space between words of a seed phrase", 1, 6, func(n int) string { return seed("abcdef", strings.Repeat(" ", n)) }},
		{"the space before a seed phrase", 0, 24, func(n int) string { return "seed phrase" + strings.Repeat(" ", n) + strings.Repeat("abcdef ", 12) }},
		{"a value in a Kubernetes secret", 2, 0, func(n int) string { return "kind: Secret\ndata:\n  db: " + mixed(4*n) + "\n" }},
		{"a value in a table", 8, 0, func(n int) string { return "| password |\n|---|\n| " + mixed(n) + " |\n" }},
		{"the type of a variable", 0, 40, func(n int) string { return "var apiToken " + strings.Repeat("t", n) + ` = "hG7kPq2zLm9Rw4"` }},
		{"the name of a function, after set", 0, 37, func(n int) string { return "set" + strings.Repeat("x", n) + `("API_KEY", "hG7kPq2zLm9Rw4")` }},
		{"the id in a token of Discord", 17, 20, func(n int) string {
			return base64.RawURLEncoding.EncodeToString([]byte("10566184176844841123456789012345678901234567890123456789"[:n])) + ".Ga1b2C." + mixed(38)
		}},
		{"the space before a cookie", 0, 13, func(n int) string { return "Cookie:" + strings.Repeat(" ", n) + "sid=" + bareValue }},
		{"the space before a login of Docker", 0, 22, func(n int) string {
			return `{"auth":` + strings.Repeat(" ", n) + `"` + base64.StdEncoding.EncodeToString([]byte("bob:hunter2")) + `"}`
		}},
		{"a user and a password in a header", 6, 768, func(n int) string {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(("b:" + mixed(1000))[:n]))
		}},
		{"the number of a data centre of Mailchimp", 1, 3, func(n int) string { return hex(32) + "-us" + strings.Repeat("1", n) }},
		{"a JSON Web Token in base64", 80, 0, func(n int) string { return base64.StdEncoding.EncodeToString([]byte(jwt()))[:n] }},
		{"the first part of a JSON Web Token in base64", 9, 0, func(n int) string {
			return base64.StdEncoding.EncodeToString([]byte("eyJ" + mixed(n) + ".eyJ" + mixed(80)))
		}},
		{"the words before a name in an option", 0, 62, func(n int) string { return "--" + strings.Repeat("x", n) + "-token " + bareValue }},
		{"the blanks before a value", 0, 8, func(n int) string { return "API_KEY=" + strings.Repeat(" ", n) + bareValue }},
		{"the signs between a name and its value", 1, 4, func(n int) string { return "password " + strings.Repeat("=", n) + ` "hunter22"` }},
		{"the type after a colon", 1, 39, func(n int) string { return "apiToken: " + strings.Repeat("t", n) + ` = "hG7kPq2zLm9Rw4"` }},
		{"the space before the value of a member", 0, 58, func(n int) string {
			return `{"name": "API_KEY",` + strings.Repeat(" ", n) + `"value": "` + bareValue + `"}`
		}},
		{"the space between a user and a password in quotes", 0, 2, func(n int) string { return `curl --user "bob"` + strings.Repeat(" ", n) + `:"hunter22x" h` }},
		{"the numbers of a colour without its escape", 0, 19, func(n int) string { return "[" + strings.Repeat("1", n) + "mghp_" + mixed(36) }},
		{"a token with a repeated letter", 100, 0, func(n int) string { return "glpat-" + ("aaaaa" + mixed(200))[:n] }},
		{"the indentation of a password in YAML", 0, 63, func(n int) string { return "db:\n" + strings.Repeat(" ", n) + "password: swordfish\n" }},
		{"a password in an element", 4, 1000, func(n int) string { return "<password>" + mixed(n) + "</password>" }},
		{"the space in an element", 0, 80, func(n int) string { return "<password>" + strings.Repeat(" ", n) + "hunter22</password>" }},
		{"a line of a private key", 20, 0, func(n int) string { return "-----BEGIN PRIVATE KEY-----\n" + mixed(n) }},
		{"the backslashes of an escape", 1, 16, func(n int) string { return strings.Repeat(`\`, n) + "u0067hp_" + mixed(36) }},
		{"a colour inside of a key", 0, 30, func(n int) string { return "npm_\x1b[" + strings.Repeat("1", n) + "m" + mixed(36) }},
		{"digits in quotes", 24, 0, func(n int) string { return `"token": "` + strings.Repeat("9016283475", n/10+1)[:n] + `"` }},
	} {
		for n := range max(c.most, c.least+20) + 4 {
			got := len(r.Find([]byte(c.text(n)))) > 0
			if want := n >= c.least && (n <= c.most || c.most == 0); got != want {
				t.Errorf("%s: of %d bytes, found is %v, want %v", c.part, n, got, want)
			}
		}
	}
}
