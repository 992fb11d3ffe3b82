package redact

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"turns/model/modeltest"
)

const (
	alnums = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	hexes  = "0123456789abcdef"
	base   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// gen returns the random part of a key. The tests join their keys at run time, so that secret
// scanners do not report this file.
func gen(chars string, n int) string {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(chars))))
	b := []byte("a1B")
	if chars == hexes {
		b = []byte("a1b")
	} else if chars == base {
		b = []byte("A2B")
	}
	for len(b) < n {
		b = append(b, chars[r.IntN(len(chars))])
	}
	return string(b[:n])
}

// key joins a prefix and a random part at run time.
func key(prefix string, chars string, n int) string { return prefix + gen(chars, n) }

func pem(kind, newline string) string {
	lines := []string{"-----BEGIN " + kind + "-----"}
	for i := range 5 {
		lines = append(lines, gen(alnums+"+/", 60+i)[i:]+"zZ9+")
	}
	return strings.Join(append(lines, "ab1c==", "-----END "+kind+"-----"), newline)
}

func jwt() string {
	e := base64.RawURLEncoding.EncodeToString
	return e([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + e([]byte(`{"sub":"1234567890"}`)) + "." + gen(alnums, 43)
}

// secrets returns secrets of each rule, without context.
func secrets() []struct{ rule, secret string } {
	return []struct{ rule, secret string }{
		{"anthropic-api-key", key("sk-"+"ant-api03-", alnums+"_-", 95)},
		{"anthropic-api-key", key("sk-"+"ant-oat01-", alnums+"_-", 95)},
		{"openai-api-key", key("sk-"+"proj-", alnums+"_-", 156)},
		{"openai-api-key", key("sk-", alnums, 48)},
		{"openai-api-key", key("sk-"+"svcacct-", alnums, 80)},
		{"openai-api-key", key("sk-", hexes, 32)},
		{"openrouter-api-key", key("sk-"+"or-v1-", hexes, 64)},
		{"google-api-key", key("AI"+"za", alnums+"_-", 35)},
		{"gcp-oauth", key("GOC"+"SPX-", alnums, 28)},
		{"gcp-oauth", key("ya"+"29.", alnums, 120)},
		{"groq-api-key", key("gs"+"k_", alnums, 52)},
		{"xai-api-key", key("xa"+"i-", alnums, 80)},
		{"perplexity-api-key", key("pp"+"lx-", alnums, 48)},
		{"replicate-api-token", key("r"+"8_", alnums, 37)},
		{"huggingface-token", key("h"+"f_", alnums, 34)},
		{"nvidia-api-key", key("nv"+"api-", alnums, 64)},
		{"langsmith-api-key", key("lsv2"+"_pt_", hexes, 32) + "_a1b2c3d4e5"},
		{"github-token", key("gh"+"p_", alnums, 36)},
		{"github-token", key("gh"+"s_", alnums, 36)},
		{"github-token", key("github"+"_pat_", alnums, 22) + "_" + gen(alnums, 59)},
		{"gitlab-token", key("gl"+"pat-", alnums, 20)},
		{"npm-token", key("np"+"m_", alnums, 36)},
		{"pypi-token", key("py"+"pi-AgEIcHlwaS5vcmc", alnums, 120)},
		{"aws-access-key-id", key("AK"+"IA", base, 16)},
		{"aws-access-key-id", key("AS"+"IA", base, 16)},
		{"azure-key", "a1B2" + "Q~" + gen(alnums, 33)},
		{"digitalocean-token", key("dop"+"_v1_", hexes, 64)},
		{"cloudflare-key", key("cf"+"ut_", alnums, 40)},
		{"databricks-token", key("da"+"pi", hexes, 32) + "-2"},
		{"vault-token", key("hv"+"s.", alnums, 95)},
		{"terraform-token", gen(alnums, 14) + ".atlas" + "v1." + gen(alnums, 67)},
		{"doppler-token", key("dp"+".pt.", alnums, 43)},
		{"slack-token", "xo" + "xb-123456789012-1234567890123-" + gen(alnums, 24)},
		{"slack-token", "xa" + "pp-1-A0123456789-1234567890123-" + gen(hexes, 64)},
		{"stripe-key", key("sk"+"_live_", alnums, 24)},
		{"stripe-key", key("rk"+"_test_", alnums, 99)},
		{"twilio-api-key", key("S"+"K", hexes, 32)},
		{"sendgrid-api-key", "S" + "G." + gen(alnums, 22) + "." + gen(alnums, 43)},
		{"mailgun-key", key("ke"+"y-", hexes, 32)},
		{"shopify-token", key("shp"+"at_", hexes, 32)},
		{"square-token", key("sq0"+"atp-", alnums, 22)},
		{"linear-key", key("lin"+"_api_", alnums, 40)},
		{"notion-token", key("nt"+"n_", alnums, 46)},
		{"notion-token", key("secr"+"et_", alnums, 43)},
		{"telegram-bot-token", "1234567890" + ":A" + "A" + gen(alnums, 33)},
		{"discord-token", "MT" + "A1NjYxODQxNzY4NDQ4NDEx" + ".Ga1b2C." + gen(alnums, 38)},
		{"artifactory-token", key("AK"+"Cp", alnums, 69)},
		{"sonar-token", key("sq"+"p_", hexes, 40)},
		{"sourcegraph-token", key("sg"+"p_", hexes, 40)},
		{"octopus-api-key", key("AP"+"I-", base, 26)},
		{"prefect-token", key("pn"+"u_", alnums, 36)},
		{"infracost-token", key("ic"+"o-", alnums, 32)},
		{"readme-api-key", key("rd"+"me_", alnums, 70)},
		{"clojars-token", key("CLO"+"JARS_", alnums, 60)},
		{"aws-bedrock-key", key("AB"+"SK", alnums, 120)},
		{"alibaba-access-key", key("LT"+"AI", alnums, 20)},
		{"openshift-token", key("sha"+"256~", alnums+"_-", 43)},
		{"dynatrace-token", "dt0" + "c01." + gen(base, 24) + "." + gen(base, 64)},
		{"clickhouse-key", key("4b"+"1d", alnums, 38)},
		{"newrelic-key", key("NR"+"II-", alnums, 32)},
		{"onepassword-token", key("ops"+"_eyJ", alnums, 300)},
		{"dropbox-token", key("sl"+".B", alnums+"_-", 138)},
		{"facebook-token", key("EA"+"AC", alnums, 180)},
		{"hubspot-token", key("pat"+"-na1-", hexes, 8) + "-a1b2-4c3d-8e4f-" + gen(hexes, 12)},
		{"plaid-token", key("access"+"-sandbox-", hexes, 8) + "-a1b2-4c3d-8e4f-" + gen(hexes, 12)},
		{"easypost-key", key("EZ"+"AK", alnums, 54)},
		{"flutterwave-key", key("FLW"+"SECK_TEST-", hexes, 32) + "-X"},
		{"shippo-token", key("ship"+"po_live_", hexes, 40)},
		{"duffel-token", key("duf"+"fel_live_", alnums+"_-", 43)},
		{"contentful-token", key("CF"+"PAT-", alnums+"_-", 43)},
		{"mapbox-token", key("sk"+".eyJ", alnums, 70) + "." + gen(alnums, 22)},
		{"frameio-token", key("fi"+"o-u-", alnums+"_-", 64)},
		{"typeform-token", key("tf"+"p_", alnums+"_-", 59)},
		{"gitlab-token", key("gl"+"ffct-", alnums, 20)},
		{"age-secret-key", key("AGE-SECRET"+"-KEY-1", base, 58)},
		{"jwt", jwt()},
		{"private-key", pem("RSA PRIV"+"ATE KEY", "\n")},
		{"private-key", pem("OPENSSH PRIV"+"ATE KEY", "\n")},
		{"private-key", pem("PGP PRIV"+"ATE KEY BLOCK", "\r\n")},
		{"private-key", pem("PRIV"+"ATE KEY", `\n`)},
		{"private-key", pem("EC PRIV"+"ATE KEY", `\\n`)},
	}
}

// TestKeys: a key is found in any context, without the text around it.
func TestKeys(t *testing.T) {
	r := New()
	for _, c := range secrets() {
		for _, w := range [][2]string{
			{"", ""}, {"the key ", " is"}, {"(", ")"}, {"`", "`"}, {"\x1b[32m", "\x1b[0m"}, {`\u001b[1;32m`, `\u001b[0m`},
			{`a\n`, `\nb`}, {`a\\t`, `\\n`}, {"“", "”"}, {"key%3D", "&x"}, {`\n`, ""}, {`\u000a`, ""}, {`\x0a`, ""}, {"%0A", ""}, {"[90m", ""}, {"x,", ",y"}, {"<", ">"},
		} {
			text := w[0] + c.secret + w[1]
			got := r.Find([]byte(text))
			want := Finding{Rule: c.rule, Start: len(w[0]), End: len(w[0]) + len(c.secret)}
			if len(got) != 1 || got[0] != want {
				t.Errorf("%q: got %v, want %v", text, got, want)
			}
		}
		if strings.HasPrefix(c.rule, "private") {
			continue
		}
		for _, w := range [][2]string{{"x", ""}, {"", "…x"}, {"_", ""}} {
			if w[0] == "" {
				continue
			}
			if got := r.Find([]byte(w[0] + c.secret)); len(got) == 1 && got[0].Start == 1 {
				t.Errorf("%q is found in the middle of a word: %v", w[0]+c.secret, got)
			}
		}
	}
}

// context lists secrets, marked by « and », with the text that identifies them.
var context = []struct{ rule, text string }{
	{"password", `password: "«hunter2»"`},
	{"password", `{"password":"«correct-horse-9»","user":"bob"}`},
	{"password", `{\"password\": \"«hunter2!»\"}`},
	{"password", `{\\\"db_password\\\": \\\"«hunter2!»\\\", \\\"a\\\": 1}`},
	{"password", `"password": "«pa\"ss9w,d»"`},
	{"password", `password = '«s3cr3t»'`},
	{"password", `DB_PASSWORD=«postgres»`},
	{"password", `POSTGRES_PASSWORD: «a!b@c$d()e*_,/:;=?@ff[]22»`},
	{"password", `export PGPASSWORD=«a1b2;c3»`},
	{"password", "password: «hunter2»\nuser: bob"},
	{"password", `conn(host="h", password="«hunter2»")`},
	{"command-password", `mysql --password=«hunter22» -u root`},
	{"password", `curl --password «hunter22» x`},
	{"password", `settings["password"] = "«hunter2»"`},
	{"password", `<password>«hunter2»</password>`},
	{"password", `Server=db;Uid=sa;Pwd=«Hunter2x»;`},
	{"password", `password: str = "«hunter2»"`},
	{"password", `if password == "«hunter2»" {`},
	{"secret", `API_KEY=«9f8e7d6c5b4a39281706»`},
	{"secret", `"api_key": "«9f8e7d6c5b4a39281706»"`},
	{"secret", `"apiKey": "«9f8e7d6c5b4a39281706»"`},
	{"secret", `X-Api-Key: «9f8e7d6c5b4a39281706»`},
	{"secret", `client_secret=«9f8e7d6c5b4a39281706»&grant=x`},
	{"secret", `SECRET_KEY_BASE=«9f8e7d6c5b4a39281706»\nB=2`},
	{"secret", `secret_key: '«dj4ng0-k3y-9f8e7d6c»'`},
	{"secret", `{"name": "SERVICE_TOKEN", "value": "«9f8e7d6c5b4a39281706»"}`},
	{"secret", `{\"name\":\"SERVICE_TOKEN\",\"value\":\"«9f8e7d6c5b4a39281706»\"}`},
	{"secret", `"token": "«3f2b8c1e-6a4d-4e2f-9b7a-1c2d3e4f5a6b»"`},
	{"secret", `https://h/x?access_token=«qWertYuiOpasDfgh7jKl»&b=1`},
	{"secret", `access_token: «qWertYuiOpasDfgh7jKlzXcvB»`},
	{"password", `redis_password: "«hunter2»"`},
	{"secret", `"chunkToken": "«9f8e7d6c5b4a39281706»"`},
	{"secret", `--auth-token «9f8e7d6c5b4a39281706»`},
	{"aws-secret-access-key", "aws_" + "secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYZ3P1ABCKEY»"},
	{"aws-secret-access-key", `"Secret` + `AccessKey": "«wJalrXUtnFEMI/K7MDENG/bPxRfiCYZ3P1ABCKEY»"`},
	{"bearer-token", `Authorization: Bearer «a9b8c7d6e5f4a3b2c1d0»`},
	{"bearer-token", `-H "authorization: bearer «a9b8c7d6e5f4a3b2c1d0==»"`},
	{"bearer-token", `curl -H "Authorization: token «a9b8c7d6e5f4a3b2c1d0a9b8c7d6e5f4a3b2c1d0»" x`},
	{"bearer-token", `{"Authorization": "token «a9b8c7d6e5f4a3b2c1d0a9b8c7d6e5f4a3b2c1d0»"}`},
	{"command-password", `curl -s -u bob:«hunter2» https://h/x`},
	{"command-password", `curl -X POST --user 'bob:«hunter 2»' https://h/x`},
	{"command-password", `{"command":"curl -u \"bob:«hunter2»\" https://h/x | jq ."}`},
	{"command-password", `curl -u"bob:«hunter2»" https://h/x`},
	{"command-password", `sshpass -p '«hunter2»' ssh bob@h`},
	{"command-password", "machine h.example.net\n  login bob\n  password «hunter2»\n"},
	{"teams-webhook", `https://o.webhook` + `.office.com/webhookb2/«` + gen(hexes, 36) + `@` + gen(hexes, 36) + `/IncomingWebhook/` + gen(hexes, 32) + `/` + gen(hexes, 36) + `»`},
	{"basic-auth", "Authorization: Basic «" + base64.StdEncoding.EncodeToString([]byte("bob:hunter2")) + "»"},
	{"url-password", `postgres://bob:«hunter2»@db:5432/x`},
	{"url-password", `redis://:«hunter2»@localhost`},
	{"url-password", `mongodb+srv://bob:«p@ss:w0rd»@cluster0.example.net/db`},
	{"url-password", `https://oauth2:«abcdefgh»@gitlab.com/a/b.git`},
	{"azure-key", `AccountName=x;AccountKey=«` + gen(alnums+"+/", 86) + `==»;EndpointSuffix=core.windows.net`},
	{"signed-url", `https://x.blob.core.windows.net/c/f?sv=2022&sig=«` + gen(alnums, 43) + `%3D»&se=x`},
	{"slack-webhook", `https://hooks.` + `slack.com/services/«T01234567/B01234567/` + gen(alnums, 24) + `»`},
	{"discord-token", `https://discord.com/api/` + `webhooks/«123456789012345678/` + gen(alnums, 68) + `»`},
	{"azure-key", `AccountKey=«` + gen(alnums, 40) + `»`},
	{"secret", `AccountKey=«` + gen(alnums, 39) + `»`},
	{"putty-key", "Private-Lines: 2\n«" + gen(alnums, 48) + "\nab1c==»\nPrivate-MAC: 00\n"},
	{"putty-key", "Private-Lines: 2\n«" + gen(alnums, 8) + "\n" + gen(alnums, 40) + "»\nPrivate-MAC: 00\n"},
	{"cookie", ".h.example.net\tTRUE\t/\tTRUE\t0\tsid\t«a9b8c7d6e5f4a3b2c1d0» x"},
	{"password", "db:\n\tpassword: «swordfish»\n"},
	{"password", "db:\n- password: «swordfish»\n"},
	{"cookie", `Cookie: sid=«a9b8c7d6e5f4a3b2c1d0» next=1`},
	{"basic-auth", "Authorization: Basic «" + base64.StdEncoding.EncodeToString([]byte("a ~b:hunter2")) + "»"},
	{"kubernetes-secret", "stringData:\n  db: «aEc3a1BxMnpMbTlSdzQ=»\nkind: Secret\n"},
	{"kubernetes-secret", "kind: Secret\ndata:\n  db: «YWRtaW46cGFzc3dvcmQ=» # of db\n"},
	{"mailchimp-key", `«` + gen(hexes, 32) + `-us10»`},
	{"mailchimp-key", `«` + gen(hexes, 32) + `-us19»`},
	{"password", `password = b"«hunter2»"`},
	{"password", `password = "«hunter2\\»"`},
	{"password", `{"cmd":"password='«hunter2»" , "a":1}`},
	{"password", `{"cmd":"password='«hunter2»"	}`},
	{"password", "{\"cmd\":\"password='«hunter2»\"\r\n}"},
	{"password", `"cmd":"password='«hunter2»"`},
	{"aws-secret-access-key", "aws_" + "secret_access_key = «/wJalrXUtnFEMI/K7MDENG/bPxRfiCYZ3P1ABCKE»"},
	{"command-password", "curl \\\n  -u bob:«hunter2» https://h/x"},
	{"command-password", "curl https://h/x?a=1&b=2 -u bob:«hunter2»"},
	{"secret", `printenv API_KEY=«9f8e7d6c5b4a39281706»`},
	{"url-password", `postgres://bob:«hunter2»@[::1]:5432/x`},
	{"url-password", `postgres://bob:«hunter2»@%2Fvar%2Frun/x`},
	{"signed-url", `https://h/x?a=b&amp;sig=«` + gen(alnums, 43) + `»`},
	{"slack-token", `«xoxe` + `.xoxp-1-` + gen(alnums, 40) + `+/» x`},
	{"slack-token", `«xo` + `xb-123456789012-` + gen(alnums, 24) + `»/x`},
	{"telegram-bot-token", `https://api.telegram.org/bot«123456789:A` + `A` + gen(alnums, 33) + `»/getMe`},
	{"password", `A=1\u0026PASSWORD=«postgres»`},
	{"password", `AUTHORIZATION_PASSWORD=«postgres»`},
	{"secret", `"AUTHORIZATION": "«9f8e7d6c5b4a39281706»"`},
	{"signed-url", `\u0026sig=«` + gen(alnums, 43) + `»`},
	{"databricks-token", "«dap" + "i" + gen(hexes, 32) + "-0» x"},
	{"databricks-token", "«dap" + "i" + gen(hexes, 32) + "-9» x"},
	{"github-token", "[1;32m«gh" + "p_" + gen(alnums, 36) + "»[0m"},
	{"secret-str", `SecretStr('«hunter2»')`},
	{"secret-str", `SecretStr(\"«hunter2»\")`},
	{"secret-str", `api_key=SecretBytes(b'«hunter2»')`},
}

// forms lists secrets, marked by « and », in the syntax of languages, commands and files.
var forms = []struct{ rule, text string }{
	{"secret", `API_TOKEN ?= "«9f8e7d6c5b4a39281706»"`},
	{"secret", `API_TOKEN :::= "«9f8e7d6c5b4a39281706»"`},
	{"secret", `$apiToken .= "«9f8e7d6c5b4a39281706»"`},
	{"secret", `var apiToken string = "«9f8e7d6c5b4a39281706»"`},
	{"secret", `val apiToken: String? = "«9f8e7d6c5b4a39281706»"`},
	{"secret", `apiToken []byte = "«9f8e7d6c5b4a39281706»"`},
	{"secret", `System.setProperty("API_TOKEN", "«9f8e7d6c5b4a39281706»")`},
	{"secret", `{"code":"os.Setenv(\"API_TOKEN\", \"«9f8e7d6c5b4a39281706»\")"}`},
	{"password", `define('DB_PASSWORD', '«hunter2»');`},
	{"password", `c.setPassword("«hunter2»")`},
	{"secret", `.withApiKey("«9f8e7d6c5b4a39281706»")`},
	{"secret", "<apiToken>\n    «9f8e7d6c5b4a39281706»\n</apiToken>"},
	{"secret", `{"pom":"<apiToken>\n    «9f8e7d6c5b4a39281706»\n</apiToken>"}`},
	{"password", `<add key="ClearTextPassword" value="«hunter2»" />`},
	{"password", "ENV DB_PASSWORD «hunter2»"},
	{"secret", "set -gx API_TOKEN «9f8e7d6c5b4a39281706»"},
	{"password", "db:\n  password: «swordfish»\n  user: bob"},
	{"password", `{"yaml":"db:\n  password: «swordfish»\n  user: bob"}`},
	{"secret", "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo9f8e7d6»"},
	{"secret", `discordToken = "«33177511517135885621051349826858»"`},
	{"command-password", `curl --user=bob:«hunter2» https://h/x`},
	{"command-password", `curl -u '«d2LkV78zLx!t»:' https://h/x`},
	{"command-password", `curl --user bob:'«hunter2»' https://h/x`},
	{"command-password", `curl --user "bob":"«hunter2»" https://h/x`},
	{"command-password", `docker login -u bob -p «hunter2» registry`},
	{"command-password", `{"command":"docker login registry --password=«hunter2» -u bob"}`},
	{"command-password", `mysqldump -u root -p«hunter2» db`},
	{"command-password", `redis-cli -h cache -a «hunter2» ping`},
	{"command-password", `openssl rsa -in k -passin pass:«hunter2» -out x`},
	{"command-password", `smbclient //h/s -U bob%«hunter2»`},
	{"docker-auth", `{"auths":{"h":{"auth":"«` + base64.StdEncoding.EncodeToString([]byte("bob:hunter2")) + `»"}}}`},
	{"docker-auth", `{\"auths\":{\"h\":{\"auth\": \"«` + base64.StdEncoding.EncodeToString([]byte("bob:hunter2")) + `»\"}}}`},
	{"kubernetes-secret", "kind: Secret\nmetadata:\n  name: x\ndata:\n  db: «YWRtaW46cGFzc3dvcmQ=»\n"},
	{"cookie", "Cookie: theme=dark; sid=«a9b8c7d6e5f4a3b2c1d0»; lang=en"},
	{"cookie", `{"Set-Cookie": "session=«a9b8c7d6e5f4a3b2c1d0»; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT"}`},
	{"url-password", "git clone https://«a9b8c7d6e5f4a3b2c1d0»@git.example.net/a/b.git"},
	{"url-password", "https://h/x?a=b&key=«a9b8c7d6e5f4a3b2c1d0»&b=1"},
	{"secret", `DB_SECRET\u003d«9f8e7d6c5b4a39281706»\u0026x`},
	{"url-password", `https:\/\/bob:«hunter2»@h\/x`},
	{"jwt", "data: «" + base64.StdEncoding.EncodeToString([]byte(jwt())) + "» end"},
	{"mailchimp-key", `key «` + gen(hexes, 32) + `-us12» x`},
	{"github-token", "«gh" + "p_\x1b[1;31m" + gen(alnums, 36) + "»"},
	{"github-token", "a «gh" + "p_" + gen(alnums, 18) + "\u200b" + gen(alnums, 18) + "» b"},
	{"github-token", "a «gh" + "p_" + gen(alnums, 18) + "\x00" + gen(alnums, 18) + "» b"},
	{"github-token", "a «gh" + "p_" + gen(alnums, 18) + "\b" + gen(alnums, 18) + "» b"},
	{"github-token", `{"x":"a «gh` + `p_\u001b[31m` + gen(alnums, 36) + `»\u001b[0m b"}`},
	{"github-token", `{"x":"{\"y\":\"«g\\u0068` + `p_` + gen(alnums, 36) + `»\"}"}`},
	{"openai-api-key", `| «sk` + `-proj-\_` + gen(alnums, 40) + `\_-` + gen(alnums, 10) + `» |`},
	{"anthropic-api-key", `"«sk\u002dant` + `\u002d` + gen(alnums, 40) + `»"`},
}

func TestContext(t *testing.T) {
	r := New()
	for _, c := range slices.Concat(context, forms) {
		before, rest, _ := strings.Cut(c.text, "«")
		secret, after, _ := strings.Cut(rest, "»")
		text := before + secret + after
		got := r.Find([]byte(text))
		if want := (Finding{Rule: c.rule, Start: len(before), End: len(before) + len(secret)}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
			continue
		}
		out, n := r.RedactString(text)
		if want := before + "[redacted:" + c.rule + "]" + after; out != want || n != 1 {
			t.Errorf("%s: got %q, %d, want %q", text, out, n, want)
		}
	}
}

var clean = []string{
	"",
	"sk-", "sk-...", "sk-ant-...", "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-proj-your-key-goes-here-1234567890", "ghp_xxx", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"AKIA" + "IOSFODNN7EXAMPLE", "sk-fading-circle-and-more-words-12", "sk-ant-api03-" + "<your key>",
	"d41d8cd98f00b204e9800998ecf8427e", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad", "3f2b8c1e-6a4d-4e2f-9b7a-1c2d3e4f5a6b", "toolu_01HqA1b2C3d4E5f6G7h8J9k0", "call_a1B2c3D4e5F6g7H8i9J0",
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	`"input_tokens": 12345678, "max_tokens": 4096, "token_count": 17`, `"next_page_token": "CAUQAA1234567890abcd"`, `"nextToken": "CAUQAA1234567890abcd"`, `"NEXT_TOKEN": "CAUQAA1234567890abcd"`,
	`"password": "string"`, `"password": {"type": "string"}`, `password: Enter your password 2`, `"password": "Your password must have 8 characters"`,
	`password = getpass.getpass("Password: ")`, `password=os.environ["DB_PASSWORD"]`, `password: process.env.PASSWORD1`, `PASSWORD=${DB_PASSWORD}`, `PASSWORD=$DB_PASSWORD`,
	`PrivateKey: testRSA2048PrivateKey,`, `"PWD=" + dir1`, `const FTS5TOKEN = fts5tokenizer1`,
	`password = user.password2`, `self.token = token`, `token: Token`, `let token = parser.nextToken2();`, `api_key=settings.OPENAI_API_KEY`, `API_KEY=<your-key>`,
	`API_KEY=your_api_key_1234567890`, `"api_key": "{env:API_KEY_1234}"`, `secret: "********"`, `PASSWORD=changeme`, `"password": null, "token": true`,
	`{"password": 12345678}`, `if (password === undefined)`, `forgot_password: "/users/password/new1"`, `PWD=/home/bob/project1`, `OLDPWD=/x1/y2`, `pwd`,
	`secret_key_base|SpotterWeb.Endpoint`, `HYDRALISK_BEARER_TOKEN: 'secret-route-token'`, `Authorization: Bearer <token>`, `Bearer token authentication1 is used`,
	`Authorization: Bearer $TOKEN`, `Basic authentication`, `basic usage12`, `Authorization: Basic <credentials>`,
	`SecretStr('**********')`, `SecretStr('')`, `SecretStr('$')`, `SecretStr("<your-key>")`, `SecretStr(os.environ["KEY"])`,
	`postgres://user:password@localhost/db`, `postgres://postgres:${PGPASSWORD}@localhost`, `https://user:<password>@host`, `http://localhost:8080/a@b`, `git@github.com:org/repo.git`,
	`https://example.com:443/path?q=a@b`, `ssh://git@github.com:22/x`, `http://user:pass@example.com`, `fmt.Sprintf("postgres://u:%s@localhost", p)`,
	"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1a2b3c4d\n-----END PUBLIC KEY-----", "-----BEGIN PRIV" + "ATE KEY-----\n...\n-----END PRIV" + "ATE KEY-----",
	"eyJhbGciOiJIUzI1NiJ9", "eyJ0eXAi.eyJ", "key-value-store", "hf_model_name_of_some_length_and_more_words", "npm_config_registry", "the secretary: abcdef1234567890",
	`curl -s https://h/x | sort -u a:b1c2d3`, `curl -u bob:$PASSWORD https://h`, `curl -u bob https://h`, `curl -u user:password https://h`, `docker run -u 1000:1000 x`, `git push -u origin main:main2`,
	`curl https://h && id -u bob:hunter2`, `sshpass -p "$PASS" ssh h`, `the machine learning login form password reset1`, `machine h login bob password <password>`, "API-driven development of the api", `Authorization: token <your token>`,
	`docker run --name mongo -p 27017:27017 mongo`, `docker run -p 8080:80 mysql`, `mysql -p db`, `mysql -u root -p"$PW" db`, `redis-cli -a $REDIS_PASSWORD`, `docker login -u bob -p "$TOKEN"`, `mongodump && mkdir -p data1`, `mongod -p /srv/db1`,
	`docker login -u bob --password-stdin`, `openssl rsa -passin pass:$PW`, `openssl x509 -in a1b2c3.pem`, "Cookie: theme=dark; lang=en", `Set-Cookie: a=b; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT`, `"cookie": "are good"`,
	`"author": "Bob Builder 1"`, `"auth": "none"`, `"auth":"basic"`, "https://h/x?key=name&auth=basic", "for k, v in d: key=a9b8c7d6e5f4a3b2c1d0", "https://user@host.example.net/x", "mailto://some.body.else.123@host.example.net",
	"password: string", "  password: required", "password: please enter it", "Password: Enter", "  password: string\n  user: string", "var token string = \"\"", "var apiToken string", `["api_key", "user_name1"]`, `getAttribute("token", "a9b8c7d6e5f4")`,
	`resetPassword("user1x")`, "kind: Secret\nmetadata:\n  name: database-login1\n", "kind: ConfigMap\ndata:\n  db: YWRtaW46cGFzc3dvcmQ=\n", "kind: Secret\ndata:\n  note: see YWRtaW46cGFzc3dvcmQ=\n", `\u001b[31mred\u001b[0m`, `a\/b\/c`, "the \x1b[31mpassword\x1b[0m of the user", "eyJ in base64 is ZXlK", "us-east-us1", "d41d8cd98f00b204e9800998ecf8427e-us-east",
	"sha512-9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0==", `"nextPageToken": "CAUQAA1234567890abcd"`, `--password@h0st-1.example`, `ENV DB_PASSWORD@h0st1x`, "h/x?token=&a=q7Wn3Zk9Rt5Yx1Lp8Vb2Gm6", "token = /home/x1y2z3/q7Wn3Zk9",
	"mysql db\nls -phunter22x", "mysql db; ls -phunter22x", "mysql db | ls -phunter22x", `<password required>none</password>`, `<input password type="submit12">`, "<D>" + gen(alnums, 86), "(ac1Q~" + gen(alnums, 33),
	base64.StdEncoding.EncodeToString([]byte("eyJ" + strings.Repeat("abc", 30))),
	"[redacted:password]", `password: "[redacted:password]"`, `API_KEY=[redacted:secret]`,
}

func TestClean(t *testing.T) {
	r := New()
	for _, text := range clean {
		for _, s := range []string{text, " " + text + " ", "`" + text + "`"} {
			if out, n := r.RedactString(s); n != 0 || out != s {
				t.Errorf("%q: %d found: %q", s, n, out)
			}
		}
	}
}

func TestRules(t *testing.T) {
	r := New()
	seen := map[string]bool{}
	for _, rule := range r.secrets.rules {
		if rule.ID == "" || rule.Description == "" || seen[rule.ID] || strings.ContainsAny(rule.ID, ` ]"\`) {
			t.Errorf("bad rule %+v", rule)
		}
		seen[rule.ID] = true
	}
	for _, c := range secrets() {
		if !seen[c.rule] {
			t.Errorf("no rule %q", c.rule)
		}
	}
}

func TestRedactAppends(t *testing.T) {
	r := New()
	text := []byte(`a password: "hunter2", b ` + secrets()[0].secret + ` c`)
	before := string(text)
	out, n := r.Redact([]byte("> "), text)
	if want := `> a password: "[redacted:password]", b [redacted:anthropic-api-key] c`; string(out) != want || n != 2 {
		t.Errorf("got %q, %d, want %q", out, n, want)
	}
	if string(text) != before {
		t.Error("the text itself was changed")
	}
}

// findSlowly tries every anchor at every byte, without the prefilter.
func (r *Redactor) findSlowly(text []byte) []Finding {
	search := func(s *scan) {
		for i := range s.text {
			for n := range r.secrets.anchors {
				if s.has(i, &r.secrets.anchors[n]) {
					r.secrets.anchors[n].try(s, i)
				}
			}
		}
	}
	s := scan{text: text}
	search(&s)
	r.findSeen(&s, search)
	return r.settle(s.found)
}

func check(t *testing.T, r *Redactor, text []byte) {
	t.Helper()
	found, slow := r.Find(text), r.findSlowly(text)
	if len(found) != len(slow) {
		t.Fatalf("%q: the fast search found %v, the slow one %v", text, found, slow)
	}
	at := 0
	for i, f := range found {
		if f != slow[i] {
			t.Fatalf("%q: the fast search found %v, the slow one %v", text, f, slow[i])
		}
		if f.Start < at || f.End <= f.Start || f.End > len(text) {
			t.Fatalf("%q: bad offsets %v", text, found)
		}
		at = f.End
	}
	out, n := r.Redact(nil, text)
	if n < len(found) || len(found) == 0 && string(out) != string(text) {
		t.Fatalf("%q: %d found, %d redacted, %q", text, len(found), n, out)
	}
	if left := r.Find(out); len(left) > 0 {
		t.Fatalf("%q: %v is left in %q", text, left, out)
	}
	if utf8.Valid(text) && !utf8.Valid(out) {
		t.Fatalf("%q: invalid UTF-8 in %q", text, out)
	}
	if json.Valid(text) && !json.Valid(out) {
		t.Fatalf("%q: was JSON, is not: %q", text, out)
	}
}

func TestProperties(t *testing.T) {
	modeltest.Long(t, "it redacts many texts")
	r := New()
	var parts []string
	for _, s := range secrets() {
		parts = append(parts, s.secret)
	}
	for _, c := range slices.Concat(context, forms) {
		parts = append(parts, strings.NewReplacer("«", "", "»", "").Replace(c.text))
	}
	parts = append(parts, clean...)
	glue := []string{"", " ", "\n", `"`, `\"`, `\n`, `\`, "@", ":", "=", "password=", `token: "`, "-----BEGIN RSA PRIVATE KEY-----", "://u:", "sk-", "é", "\xff", "'", "eyJ", ".", "Bearer "}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range modeltest.Fewer(3000, 400) { // FuzzRedact tests more
		var b strings.Builder
		for range 1 + rnd.IntN(4) {
			p := parts[rnd.IntN(len(parts))]
			if rnd.IntN(3) == 0 && len(p) > 0 {
				p = p[rnd.IntN(len(p)):]
			}
			b.WriteString(p + glue[rnd.IntN(len(glue))])
		}
		check(t, r, []byte(b.String()))
		doc, _ := json.Marshal(map[string]any{"password": b.String(), "a": []string{b.String()}})
		check(t, r, doc)
	}
}

// TestTextsCutAnywhere: a text may begin or end within a secret, a name or an escape.
func TestTextsCutAnywhere(t *testing.T) {
	r := NewNames(Own{}).Redactor(true)
	texts := slices.Concat(clean, namesInContext, noNames, commandRows, slices.Collect(maps.Values(placesOfSecrets)))
	for _, c := range slices.Concat(context, forms) {
		texts = append(texts, c.text)
	}
	for _, c := range secrets() {
		texts = append(texts, c.secret)
	}
	for _, text := range texts {
		text = strings.NewReplacer("«", "", "»", "").Replace(text)
		for i := range min(len(text), 160) {
			for _, part := range [...]string{text[:i], text[i:]} {
				for _, f := range r.Find([]byte(part)) {
					if f.Start < 0 || f.Start >= f.End || f.End > len(part) {
						t.Fatalf("%q: found %v outside of the text", part, f)
					}
				}
			}
		}
	}
}

// TestHostile redacts a megabyte of each worst-case unit. A quadratic matcher would exceed the time
// limit of the tests.
func TestHostile(t *testing.T) {
	modeltest.Long(t, "it redacts texts that are much work")
	r := New()
	for _, unit := range []string{
		"sk-", "sk-a1", "password=", "password='", `password="\`, "eyJ.", "eyJa.eyJ", "://a:", "://a@", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\"", "Bearer ", "Basic YTpi",
		"token:token=", `\`, "%3Dxoxd-", "&sig=a1", "SecretStr('", "hvs.hvs.", "\x1b[1mxapp-1", `\nghp_.`, "<password>", "a:AA", "0Q~", "MTAw.", "api_key: str = ", `"token","`, "AccountKey=",
	} {
		r.Redact(nil, []byte(strings.Repeat(unit, 1<<20/len(unit))))
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range secrets() {
		f.Add([]byte(s.secret))
	}
	for _, c := range slices.Concat(context, forms) {
		f.Add([]byte(strings.NewReplacer("«", "", "»", "").Replace(c.text)))
	}
	for _, c := range clean {
		f.Add([]byte(c))
	}
	r := New()
	f.Fuzz(func(t *testing.T, text []byte) {
		check(t, r, text)
		if doc, err := json.Marshal([]string{string(text), string(text)}); err == nil {
			check(t, r, doc)
		}
	})
}
