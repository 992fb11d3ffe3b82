package redact

import (
	"strings"
	"testing"
)

// wordRows lists the words of each list, with a text whose result depends on the word. It repeats
// every word, so that a missing or misspelt one in the program fails.
var wordRows = []struct {
	list  string
	words string // separated by blanks; ␣ is a blank
	text  string // W is the word
	other string // replaces W and has the opposite result
	found bool   // whether the text contains a secret
}{
	{"words before token that make it harmless", "next prev page cursor continuation eos bos pad unk sep cls mask stop image has is no use show hide forgot reset confirm",
		"W_token=" + bareValue, "my", false},
	{"words before key", "api access private encryption signing master auth account service license webhook client deploy ssh consumer", "W_key=" + bareValue, "primary", true},
	{"words before key, with a dash", "api access private encryption signing master auth account service license webhook client deploy ssh consumer", "W-key: \"" + bareValue + `"`, "primary", true},
	{"words before key, joined", "api access private encryption signing master auth account service license webhook client deploy ssh consumer", `{"Wkey": "` + bareValue + `"}`, "primary", true},
	{"words before key, in a sentence", "api access private encryption signing master auth account service license webhook client deploy ssh consumer", "the W key is " + bareValue, "primary", true},
	{"names of secrets", "secret token credential authorization", `{"W": "` + bareValue + `"}`, "name", true},
	{"names of passwords", "password passwd passphrase pwd passwort mot_de_passe", `{"W": "correcthorse"}`, "name", true},
	{"ends of names", "_key key -key _key_base _base _value value _base64 _b64 _string _data -data _ 0 1 9 _value2", "my_tokenW=" + bareValue, "_count", true},
	{"placeholders", "... … **** •• xxxx ${ $( {{ #{ %s {} %( <% [redacted: <redacted redacted> your_ your- yourpass yourkey yourtoken yoursecret my_api my-api myapi my_secret my-secret mysecret my_token my-token " +
		"example placeholder changeme change-me change_me replace insert dummy not-needed not_needed notneeded os.environ os.getenv process.env import.meta getenv env[ env. env( environ[ secrets. vault: config. settings. self. this. " +
		"_here -here api_key api-key password_ _password fake mock", `{"token": "q7Xn3ZkW9Rt5Yx1Lp8Vb2Gm6"}`, "u4", false},
	{"words of examples", "example placeholder redacted xxxxx changeme dummy your- your_", "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Sc", "k", false},
	{"runs of examples", "aaaaa 00000", "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Sc", "k", false},
	{"dull words", "string text password passwd pass secret token apikey api_key api-key null none undefined true false required optional object number boolean integer bytes unknown empty value changeme change_me change-me " +
		"changeit todo fixme invalid incorrect wrong missing hidden masked redacted removed filtered default disabled enabled prompt credentials credential bearer basic sensitive username user login email private public confirm self " +
		"this varchar char binary file const static return input hash hashed plain plaintext encrypted forgot reset", "MY_PASSPHRASE=W", "swordfish", false},
	{"short dull words", "str pwd key nil any tbd env", "https://bob:W@db.internal.net/x", "cat", false},
	{"functions that set", "set put define add env property header insert append store with config", `W("API_KEY", "` + bareValue + `")`, "print", true},
	{"attributes of cookies", "expires path domain max-age samesite priority version", "Set-Cookie: W=" + bareValue, "sid", false},
	{"verbs of sentences", "is:␣ was:␣ is␣ was␣", "the password Whg7kPq2zLm9Rw4", "as ", true},
	{"signs between cells", "| │ ┃ ║", "W API_KEY W " + bareValue + " W", "/", true},
	{"ends of values", `</b> \u003cb … ` + "\uFFFD ␛[0m \u2028", "MISTRAL_API_KEY=" + bareValue + "W", "(", true},
}

func TestWordRows(t *testing.T) {
	r := New()
	for _, c := range wordRows {
		for i, word := range append(strings.Fields(c.words), c.other) {
			want := c.found == (i < len(strings.Fields(c.words)))
			key, rest, _ := strings.Cut(c.text, bareValue) // the part before the value has a W
			word = strings.ReplaceAll(word, "␣", " ")
			text := strings.ReplaceAll(key, "W", word)
			if strings.Contains(c.text, bareValue) {
				text += bareValue + strings.ReplaceAll(rest, "W", word)
			}
			if strings.HasPrefix(text, "GOCSPX-") { // of a fixed length
				text = text[:len("GOCSPX-")+28]
			}
			if got := len(r.Find([]byte(text))) > 0; got != want {
				t.Errorf("%s: %q: found %v in %q", c.list, word, got, text)
			}
		}
	}
}

// commandRows uses each password option of each command.
var commandRows = []string{
	"curl -u bob:«hunter22x» https://h/x", "curl --user bob:«hunter22x» https://h/x", "curl -U bob:«hunter22x» https://h/x", "curl --proxy-user bob:«hunter22x» https://h/x",
	"curl -b sid=«q7Wn3Zk9Rt5Yx1Lp8» https://h/x",
	"sshpass -p «hunter22x» ssh h", "docker login -u bob -p «hunter22x» r.io", "docker login --password «hunter22x» r.io", "podman login -p «hunter22x» r.io", "podman login --password «hunter22x» r.io",
	"helm registry login -p «hunter22x» r.io", "helm registry login --password «hunter22x» r.io",
	"mysql -u bob -p«hunter22x» db", "mysql --password «hunter22x» db", "mariadb -u bob -p«hunter22x» db", "mariadb --password «hunter22x» db",
	"redis-cli -a «hunter22x» ping", "redis-cli --pass «hunter22x» ping", "mongo -u bob -p «hunter22x» db", "mongosh --password «hunter22x» db",
	"sqlcmd -S h -P «hunter22x»", "sqlcmd -P«hunter22x» -S h", "ldapsearch -w «hunter22x» -x", "ldapsearch -w«hunter22x» -x", "oc login -u bob -p «hunter22x»", "oc login --password «hunter22x»",
	"az login -u bob -p «hunter22x»", "az login --password «hunter22x»", "twine upload -p «hunter22x» dist/x", "twine upload --password «hunter22x» dist/x",
	"wget --password «hunter22x» https://h", "wget --http-password «hunter22x» https://h", "wget --ftp-password «hunter22x» ftp://h",
	"http -a bob:«hunter22x» h", "http --auth bob:«hunter22x» h", "openssl rsa -passin pass:«hunter22x» -in k", "smbclient -U bob%x -U bob:«hunter22x» //h/s",
}

func TestCommandRows(t *testing.T) {
	r := New()
	for _, row := range commandRows {
		before, rest, _ := strings.Cut(row, "«")
		secret, after, _ := strings.Cut(rest, "»")
		got := r.Find([]byte(before + secret + after))
		if len(got) != 1 || got[0].Start != len(before) || got[0].End != len(before)+len(secret) {
			t.Errorf("%s: %v", row, got)
		}
	}
}

// TestAzureRows: an Azure key is found by the mark at its offset and its exact length.
func TestAzureRows(t *testing.T) {
	r := New()
	for _, k := range []struct {
		mark         string
		before, size int
	}{
		{"JQQJ99", 52, 84}, {"+ASt", 76, 88}, {"ACDb", 76, 88}, {"+ABa", 76, 88}, {"AzSe", 42, 52}, {"+ACR", 42, 52}, {"AzFu", 44, 56}, {"AzCa", 33, 44}, {"AzEG", 33, 44}, {"+AEh", 33, 44},
		{"+ASb", 33, 44}, {"+ARm", 33, 44}, {"AIoT", 33, 44}, {"+AMC", 33, 44},
	} {
		for by, want := range map[int]bool{0: true, 1: false, -1: false} {
			for _, front := range []bool{true, false} {
				before, after := k.before, k.size-k.before-len(k.mark)
				if front {
					before += by
				} else {
					after += by
				}
				for _, around := range [][2]string{{"it is ", " here"}, {"", ""}} {
					text := around[0] + gen(alnums, before) + k.mark + gen(alnums, after) + around[1]
					got := r.Find([]byte(text))
					if found := len(got) == 1 && got[0].Start == len(around[0]) && got[0].End == len(text)-len(around[1]); found != want {
						t.Errorf("%s with %d more, in front %v: %v", k.mark, by, front, got)
					}
				}
			}
		}
	}
}
