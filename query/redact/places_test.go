package redact

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// bareValue is a key of a vendor without a recognizable prefix.
const bareValue = "q7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc"

// placesOfSecrets lists texts in which a name is next to its secret value.
var placesOfSecrets = map[string]string{
	"before a closing tag":          "<bash-stdout>MISTRAL_API_KEY=" + bareValue + "</bash-stdout>",
	"a password before a tag":       "<bash-stdout>DB_PASSWORD=" + bareValue + "</bash-stdout>",
	"before an ellipsis":            "MISTRAL_API_KEY=" + bareValue + "… and more",
	"before what cannot be read":    "MISTRAL_API_KEY=" + bareValue + "\uFFFD",
	"between colours":               "\x1b[32mMISTRAL_API_KEY\x1b[0m=\x1b[1m" + bareValue + "\x1b[0m",
	"between colours as shown":      "␛[32mMISTRAL_API_KEY␛[0m=␛[1m" + bareValue + "␛[0m",
	"a manifest":                    "- name: MISTRAL_API_KEY\n  value: " + bareValue + "\n",
	"a quoted manifest":             "- name: \"MISTRAL_API_KEY\"\n  value: \"" + bareValue + "\"\n",
	"a manifest in a log":           "env:\r\n  - name: MISTRAL_API_KEY\r\n    value: '" + bareValue + "'\r\n",
	"JSON of a manifest":            `{"name": "MISTRAL_API_KEY", "value": "` + bareValue + `"}`,
	"an element":                    "<apiKey>" + bareValue + "</apiKey>",
	"an element of words":           "<add><api_key>\n  " + bareValue + "\n</api_key></add>",
	"a property list":               "<key>MISTRAL_API_KEY</key>\n\t<string>" + bareValue + "</string>",
	"a list of values":              `{"api_key": ["` + bareValue + `"]}`,
	"a list of values on lines":     "{\"api_key\": [\n  \"" + bareValue + "\"\n]}",
	"a pair":                        `["MISTRAL_API_KEY", "` + bareValue + `"]`,
	"words of a command":            `["deploy", "--api-key", "` + bareValue + `"]`,
	"csh":                           "setenv MISTRAL_API_KEY " + bareValue,
	"set of a shell":                "set MISTRAL_API_KEY " + bareValue,
	"aws configure":                 "aws configure set aws_secret_access_key wJalrXUtnF3MI7K9MDENG1bPxRfiCYzKq8Lm2Vn4",
	"printenv":                      "$ printenv MISTRAL_API_KEY\n" + bareValue + "\n",
	"a sentence":                    "the password is hG7kPq2zLm9Rw4",
	"a table":                       "| name | value |\n|---|---|\n| MISTRAL_API_KEY | " + bareValue + " |",
	"a table of code":               "| `MISTRAL_API_KEY` | `" + bareValue + "` |",
	"a drawn table":                 "│ MISTRAL_API_KEY │ " + bareValue + " │",
	"a table of passwords":          "| password | hG7kPq2zLm9Rw4 |",
	"a sentence with a wallet":      "my seed phrase is amazing ability able about above absent absorb abstract absurd abuse access accident",
	"a wallet on the next line":     "recovery phrase:\namazing ability able about above absent absorb abstract absurd abuse access accident",
	"a wallet with brackets":        "seed phrase:\n1) amazing\n2) ability\n3) able\n4) about\n5) above\n6) absent\n7) absorb\n8) abstract\n9) absurd\n10) abuse\n11) access\n12) accident",
	"a narrow table":                "|password|hG7kPq2zLm9Rw4|",
	"a table without outer signs":   "user | none\npassword | hG7kPq2zLm9Rw4\n",
	"a column with a title in code": "| user | `password` |\n|---|---|\n| bob | hG7kPq2zLm9Rw4 |\n",
	"a column with a bold title":    "| user | **password** |\n|---|---|\n| bob | hG7kPq2zLm9Rw4 |\n",
	"a member on lines":             "{\n  \"name\": \"MISTRAL_API_KEY\",\n  \"value\": \"" + bareValue + "\"\n}",
	"a column of a table":           "| user | password |\n|---|---|\n| bob | hG7kPq2zLm9Rw4 |\n| eve | none |\n",
	"the first column of a table":   "| Secret | of |\n|---|---|\n| " + bareValue + " | bob |\n",
	"a column of a drawn table":     "│ user │ token │\n├──────┼───────┤\n│ bob  │ " + bareValue + " │\n",
	"a column of psql":              " id | api_key \n----+---------\n  1 | " + bareValue + "\n(1 row)\n",
	"a secret of Kubernetes":        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  db: aEc3a1BxMnpMbTlSdzQ=\n",
	"a secret, data first":          "apiVersion: v1\ndata:\n  db: aEc3a1BxMnpMbTlSdzQ=\nkind: Secret\n",
	"a secret of Kubernetes, JSON":  `{"kind": "Secret", "data": {"db": "aEc3a1BxMnpMbTlSdzQ="}}`,
	"a key in YAML":                 "tls:\n  key: |\n    " + strings.ReplaceAll(pem("PRIV"+"ATE KEY", "\n"), "\n", "\n    ") + "\n",
	"a key in an environment":       "TLS_KEY=\"" + pem("PRIV"+"ATE KEY", `\n`) + "\"\n",
	"a connection string":           "Server=db.internal;User Id=orders;Password=hG7kPq2zLm9Rw4;Encrypt=true",
	"a connection string of AMQP":   "amqps://orders:hG7kPq2zLm9Rw4@mq.internal:5671/v",
	"a connection string of JDBC":   "jdbc:postgresql://db/orders?user=bob&password=hG7kPq2zLm9Rw4",
	"a connection string of redis":  "redis://:hG7kPq2zLm9Rw4@cache.internal:6379/0",
	"a session cookie":              "Set-Cookie: session=" + bareValue + "; HttpOnly; Path=/",
	"a file of credentials":         "[default]\naws_access_key_id = x\naws_secret_access_key = wJalrXUtnF3MI7K9MDENG1bPxRfiCYzKq8Lm2Vn4\n",
	"a file name":                   "/home/me/notes/MISTRAL_API_KEY=" + bareValue + ".txt",
	"a title":                       "Use MISTRAL_API_KEY=" + bareValue + " from now on",
	"a user's file of a cluster":    "users:\n- name: dev\n  user:\n    token: " + bareValue + "\n",
	"a file of a service's account": `{"type":"service_account","private_key_id":"a1b2","private_key":"` + strings.ReplaceAll(pem("PRIV"+"ATE KEY", "\n"), "\n", `\n`) + `"}`,
	"words of a wallet":             "mnemonic: abandon ability able about above absent absorb abstract absurd abuse access accident",
	"words of a wallet in a file":   "# recovery phrase\n\"legal winner thank year wave sausage worth useful legal winner thank yellow\"",
	"/etc/shadow":                   "root:$6$rounds=5000$saltsalt$" + strings.Repeat("aB3dE5fG7h", 8) + ":19000:0:99999:7:::",
	"a name at the sixth byte":      "with password: hG7kPq2zLm9Rw4",
	"a key of PuTTY":                "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n" + gen(alnums, 48) + "\nPrivate-MAC: 0011\n",
	"an element, escaped":           `\u003capiKey\u003e` + bareValue + `\u003c/apiKey\u003e`,
	"an element, escaped twice":     `\\u003capiKey\\u003e` + bareValue + `\\u003c/apiKey\\u003e`,
	"an element, upper case escape": `\u003CapiKey\u003E` + bareValue + `\u003C/apiKey\u003E`,
	"a password, escaped":           `\u003cpassword\u003ehG7kPq2zLm9Rw4\u003c/password\u003e`,
	"an element in HTML":            "&lt;apiKey&gt;" + bareValue + "&lt;/apiKey&gt;",
	"a property list, escaped":      `\u003ckey\u003eMISTRAL_API_KEY\u003c/key\u003e\n\u003cstring\u003e` + bareValue + `\u003c/string\u003e`,
	"before an escaped tag":         `\u003cstdout\u003eMISTRAL_API_KEY=` + bareValue + `\u003c/stdout\u003e`,
	"a connection string of Go":     "bob:hG7kPq2zLm9Rw4@tcp(db.internal:3306)/orders",
	"a connection string of ODBC":   "Driver={X};Server=db;UID=bob;PWD=hG7kPq2zLm9Rw4;",
	"a sentence with a colon":       "my password is: hG7kPq2zLm9Rw4",
	"a sentence of the past":        "the password was hG7kPq2zLm9Rw4",
	"a numbered list of words":      "seed phrase:\n1. abandon\n2. ability\n3. able\n4. about\n5. above\n6. absent\n7. absorb\n8. abstract\n9. absurd\n10. abuse\n11. access\n12. accident",
	"a cookie of curl":              "curl -b 'sid=" + bareValue + "' https://h/x",
	"a file of cookies":             ".h.example.net\tTRUE\t/\tTRUE\t0\tsessionid\t" + bareValue + "\n",
	"a name in bold":                "**MISTRAL_API_KEY**: " + bareValue,
	"a name and a colon in bold":    "- **API key:** `" + bareValue + "`",
	"a name of two words":           "my API key: " + bareValue,
	"a sentence with two words":     "the API key is `" + bareValue + "`",
	"a key of ssh.com":              "---- BEGIN SSH2 ENCRYPTED PRIV" + "ATE KEY ----\n" + gen(alnums, 48) + "\n" + gen(alnums, 64) + "\n---- END SSH2 ENCRYPTED PRIV" + "ATE KEY ----",
	"a key of minisign":             "untrusted comment: minisign encrypted secret key\n" + gen(alnums, 212) + "\n",
	"a JSON Web Key":                `{"kty":"RSA","n":"abc","d":"` + gen(alnums, 86) + `"}`,
	"a key of .NET":                 "<RSAKeyValue><D>" + gen(alnums, 86) + "</D></RSAKeyValue>",
}

// TestPlacesOfNamedSecrets: a named secret is found wherever a name is next to its value.
func TestPlacesOfNamedSecrets(t *testing.T) {
	for name, text := range placesOfSecrets {
		var quoted strings.Builder
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(text); err != nil {
			t.Fatal(err)
		}
		line := strings.Join(strings.Fields(text), " ") // like titles
		for form, text := range map[string]string{"": text, "in JSON: ": quoted.String(), "on one line: ": line} {
			if strings.Contains(name, "colours as shown") && form == "in JSON: " || form == "on one line: " && slices.Contains(onLinesOnly, name) {
				continue
			}
			got, n := New().RedactString(text)
			for _, secret := range []string{bareValue, "wJalrXUtnF3MI7K9MDENG1bPxRfiCYzKq8Lm2Vn4", "hG7kPq2zLm9Rw4", "accident", "yellow", "aEc3a1BxMnpMbTlSdzQ=", "zZ9+", "aB3dE5fG7haB3d", gen(alnums, 48), gen(alnums, 86), gen(alnums, 212)} {
				if strings.Contains(got, secret) || n == 0 {
					t.Errorf("%s%s: %q", form, name, got)
					break
				}
			}
			if strings.HasSuffix(name, " tag") && !strings.Contains(name, "escaped") && !strings.HasSuffix(strings.Trim(got, "\"\n"), "bash-stdout>") {
				t.Errorf("%s%s: the tag is gone: %q", form, name, got)
			}
		}
	}
}

// TestTokensOf2026: tokens of 2026 with a recognizable prefix.
func TestTokensOf2026(t *testing.T) {
	for name, secret := range map[string]string{
		"Tailscale": key("tskey"+"-auth-", alnums, 40), "ElevenLabs": key("s"+"k_", hexes, 48), "Cursor": key("cr"+"sr_", hexes, 64),
		"Vercel": key("v"+"cp_", alnums, 56), "Neon": key("na"+"pi_", alnums, 60), "1Password": key("op"+"s_eyJ", alnums, 120),
		"Render": key("rn"+"d_", alnums, 32), "PostHog": key("ph"+"x_", alnums, 44), "Apify": key("apify"+"_api_", alnums, 36),
		"Browserbase": key("bb"+"_live_", alnums, 27), "Axiom": key("xa"+"at-", hexes, 8) + "-a1b2-4c3d-8e4f-" + gen(hexes, 12),
		"Airtable": key("pa"+"tA1b2C3d4E5f6G7.", hexes, 64), "Azure OpenAI": gen(alnums, 52) + "JQQ" + "J99BDACYeBjFXJ3w3AAABACOGabc1",
		"Azure AI Search": gen(alnums, 42) + "Az" + "SeC" + gen(alnums, 5), "Azure storage": gen(alnums, 76) + "+A" + "StA" + gen(alnums, 4) + "A==",
		"Azure Redis": gen(alnums, 33) + "Az" + "CaB" + gen(alnums, 5) + "=", "Azure registry": gen(alnums, 42) + "+A" + "CRC" + gen(alnums, 5),
		"Azure functions": gen(alnums, 44) + "Az" + "FuQ" + gen(alnums, 4) + "A==", "Azure Event Hubs": gen(alnums, 33) + "+A" + "EhB" + gen(alnums, 5) + "=",
		"Discord before 2022": "NDk0M" + "TA1NjYxODQxNzY4NDQ4." + "Ga1b2C." + gen(alnums, 38), "Discord of 2016": "ODAzN" + "TExMTAyMjQ2Nzg5MTI." + "XsYcBA." + gen(alnums, 27),
		"Discord user": key("mf"+"a.", alnums, 84), "workload identity": key("ya"+"29.d.b0A", alnums, 200), "service account": key("ya"+"29.c.b0A", alnums, 200),
		"age for quantum computers": key("AGE-SECRET"+"-KEY-PQ-1", base, 80), "age of a YubiKey": key("AGE-PLU"+"GIN-YUBIKEY-1", base, 40),
		"Nostr": key("ns"+"ec1", "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58), "Bitcoin": key("xp"+"rv9s21ZrQH143K", alnums, 95),
	} {
		if got, n := New().RedactString("it is " + secret + " here"); n != 1 || strings.Contains(got, secret[len(secret)-8:]) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestPlacesWithoutSecrets: text that only resembles these places is unchanged.
func TestPlacesWithoutSecrets(t *testing.T) {
	for _, text := range []string{
		"| Token | Description |\n|---|---|\n| password | required |", "| password | varchar(255) |", "| `api_key` | string, your key |", "| secret | boolean | no |",
		"| password | Type |\n|---|---|\n| minimum8 | string |", "| Token |\n|---|\n| [redacted:token] |", "| token | n |\n| a | b |", "| secret | no |\n|---|---|\n| your-secret-1 | x |", "the password is required", "the token is expired since 2026", "the password is not hG7kPq", "set token value to something", "set -x token",
		"- name: GITHUB_TOKEN\n  description: a token of GitHub", "- name: API_KEY\n  valueFrom:\n    secretKeyRef:\n      name: keys", "<token>…</token>", "<api_key></api_key>",
		`["password", "username", "email"]`, `{"required": ["api_key", "secret"]}`, `["--token", "$TOKEN"]`, `{"token": ["string", "null"]}`,
		"private key: generated", "the API key is required for v2026", "**Token:** none", "**password**: ********", "access key: see page12", "printenv TOKEN | wc",
		"| Token | n | |---|---| | word | 3 | | other | 4 |", "api keys: a1b2c3d4e5f6a7b8", "service key value: none",
		"printenv HOME\n/home/me", "printenv API_KEY\n$ ls", "setenv EDITOR vim", "<key>Label</key>\n<string>com.example.app</string>",
		"mnemonic: use the words of a list that is known to all of you, in this order and no other", "the mnemonic device helps you remember things about the planets and the stars",
		"user:$1 is the first argument", "cost: $5 and more", "Private-Lines: none", "key_value_pairs", "sk_buff_head", "rnd_seed", "vcr_cassette_name", "phx_endpoint",
		"| user | password | |---|---|", "DB_PASSWORD=…", "API_KEY=\uFFFD", "password: <password>", "API_KEY=</your-key>",
		`\u003capi_key\u003e\u003c/api_key\u003e`, `\u003ctoken\u003eyour-token\u003c/token\u003e`, "the token was expired", "the password is: required", "curl -b cookies.txt https://h/x", "dial@tcp(host)",
		`a path to pattern.go and patch.9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0`, "mfa.enabled", "AzSearch", `{"d":"x","kty":"RSA"}`, "PWD=/home/me;HOME=/x", "seed phrase: 1. ask 2. tell",
	} {
		if got, n := New().RedactString(text); n > 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// onLinesOnly are the places that need line breaks.
var onLinesOnly = []string{"a table without outer signs", "a secret of Kubernetes", "a secret, data first", "a file of cookies", "a column of psql"}
