package redact

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// namesInContext has one line for each context that identifies a name, marked by « and ».
var namesInContext = []string{
	"cd /home/«kmaron»/src", "/Users/«kmaron»", "HOME=/home/«kmaron»", "file:///home/«kmaron»/a.html", "rsync a b:/home/«kmaron»/",
	`C:\Users\«kmaron»\AppData`, `"C:\\Users\\«kmaron»\\AppData"`, `C:\Users\«Karla Maron»\AppData`, "C:/Users/«kmaron»/x", "/mnt/c/Users/«kmaron»/x",
	"projects/-home-«kmaron»-src/a.jsonl", "projects/-Users-«kmaron»-src", "%2Fhome%2F«kmaron»%2Fsrc", "/var/home/«kmaron»/x", "-/home/«kmaron»/a\n",
	`"cwd":"/home/«kmaron»/src"`, `{\"cwd\":\"/home/«kmaron»/src\"}`, `a\n/home/«kmaron»/src`, "/home/«kmaron.s»/x", "/home/«karla_m»/x", "/home/«jürgen»/x",
	"USER=«kmaron»", "LOGNAME=«kmaron»\n", `export USER="«kmaron»"`, "uid=1000(«kmaron») gid=1000(«kmaron»)", "drwxr-xr-x 2 «kmaron» staff 64 Jan 1 10:00 x",
	"-rw-r--r--@ 1 «kmaron» «kmaron» 64 Jan 1 10:00 x", "«kmaron»@«tower»:~$ ls", "[«kmaron»@«tower» ~]$ ls", "«kmaron»@«tower»:/srv# ls", "ssh «kmaron»@«tower»",
	"ssh «tower-7»", "scp a root@«tower»:/x", "ssh-ed25519 AAAAC3 «kmaron»@«tower»", "Linux «tower» 6.8.0-45-generic #45 SMP", "Darwin «Karlas-Air.local» 23.1.0",
	"HOSTNAME=«tower-9»", `"hostname": "«tower-9»"`, `\"hostname\":\"«tower-9»\"`, "https://«jobs7.internal»/job", "ping «tower-9.lan»", "db at «pg-01.corp»:5432",
	"mail «karla.maron@kmail.com» now", "<«k@kmail.co.uk»>", `"email":"«karla@kmail.io»"`, "mailto:«karla+list@kmail.de»", "x «karla@kmail.de».",
	"?to=«karla%40kmail.de»&x", "a\\n«karla@kmail.de»", "Author: «Karla Maron» <«karla@kmail.de»>", `git config user.name "«Karla Maron»"`, "Co-Authored-By: «Karla Maron» <«karla@kmail.de»>",
	"listens on «10.1.2.3»:80", "from «192.168.178.20»", "http://«34.120.8.77»/x", "«34.120.8.77»/24", "inet6 «fe80::1c2b:3dff:fe4e:5f60»", "«2a02:908:1234::17»",
	"at «10.1.2.0»", "at «10.2.3.4»", "at «223.1.2.3»", "at «169.253.1.2»", "at «170.254.1.2»", "at «192.0.3.1»", "at «192.1.2.9»", "at «198.17.1.1»", "at «198.20.1.1»", "at «172.17.1.1»", "at «172.16.0.9»", "at «173.17.0.9»",
	"at «32.1.2.3»", "at «1.32.2.3»", "at «1.2.32.3»", "at «1.2.3.32»", "/«34.120.8.77»/x", "@«34.120.8.77»", "to «k@kmail.ee»", "to «ka@km.ee»", "to «KA@KM.EE»",
	"«fd12:3456:789a::1»", "«fc00::12»", "«3fff::1»", "«2001:db9::1»", "«2003:db8::1»", "«2001:eb8::5»", "«2101:db8::1»", "«2a02:0908:1234:5678:9abc:def0:1234:5678»",
	"Linux «tower» 1.0.9-45 #45 SMP", "Linux «tower» 9.9.0-45 #45 SMP", "uid=1909(«kmaron»)", "drwxr-xr-x 90 «kmaron» staff 0 Jan 1 10:00 x", "drwxr-xr-x 9 «kmaron» staff 9 Jan 1 10:00 x",
	"\"drwxr-xr-x 2 «kmaron» staff 64 Jan 1 10:00 x", "total 8\ndrwxr-xr-x+ 2 «kmaron» staff 64 Jan 1 10:00 x", "drwxr-xr-x. 2 «kmaron» staff 64 Jan 1 10:00 x",
	`git config user.name      "«Anna Kern»"`, `git config user.name = '«Anna Kern»'`, `git config user.name \"«Anna Kern»\"`,
	"-r--r--r-- 1 «kmaron» staff 64 Jan 1 10:00 x", "at «93.184.2.7»", "host = «34.120.8.77»", "HOST=«34.120.8.77»", "to «karla%work@kmail.de»", "to «karla@k.com»", "to «qzx@example.com»",
	"[«kmaron»@«tower» /srv]$ ls", "a «kmaron»@«tower-7»$ ls", "«kmaron»@«tower-7»# ls", "By «Anna Maria Luisa Kern» <«ak@kern.de»>",
	"+/home/«kmaron»/a", "a\n+/home/«kmaron»/a", "/home/«qz»/a", "HOSTNAME=«qz»", "«Zita Arp» <«zita@kmail.de»>", `git config user.name "«Zita Arp»"`,
	"git@github.com:«kmaron-labs/falcon».git", "git@«git.kmaron.dev»:«team/falcon».git", "git clone https://github.com/«kmaron/falcon»", "origin\tgit@gitlab.com:«kmaron/falcon».git (fetch)",
	"url = https://github.com/«kmaron/falcon».git", `"repository_url":"https://github.com/«kmaron/falcon»"`, "/go/src/github.com/«kmaron/falcon»/main.go",
	"ssh://git@ssh.github.com:443/«kmaron/falcon».git",
}

// TestNamesInContext: the redactor replaces exactly the names.
func TestNamesInContext(t *testing.T) {
	for _, text := range namesInContext {
		want := strings.NewReplacer("«", "", "»", "").Replace(text)
		n := NewNames(Own{})
		found := n.Redactor(false).Find([]byte(want))
		var b strings.Builder
		at := 0
		for _, f := range found {
			b.WriteString(want[at:f.Start] + "«" + want[f.Start:f.End] + "»")
			at = f.End
		}
		if got := b.String() + want[at:]; got != text {
			t.Errorf("found %q, want %q", got, text)
		}
	}
}

// noNames lists texts that look like names but are not.
var noNames = []string{
	// packages, decorators, annotations
	"@property\ndef x", "\\n@app.route", "a\\n@pytest.fixture", "x = a @ b", "y = W@x.T", "x@weight.to(device)", "q@keys.mT", "x@kmaron.de(y)", "qz@example.com", "postgres://app:secretpw@db.kmail.de:5432/x", "kmaron@tower$ ls", "x/kmaron@tower-7$ ls", "react@18.2.0", "npm i lodash@latest", "uses: actions/checkout@v4", "@scope/pkg@1.2.3",
	"git@github.com", "image@sha256:0123", "icon@2x.png", "user@host", "foo@bar", "@Override", "me@app.py", "pkg@npm:x@1.0.0", "import { x } from '@a/b.js'", "golang.org/x/tools@v0.1.0",
	// versions
	"version 1.2.3.4", "v10.0.0.1", "1.2.3.4", "Chrome/120.0.0.0 Safari/537.36", "AssemblyVersion(\"1.0.0.0\")", "pkg==4.25.8.1", "pkg>=34.1.2.3", "pkg==34.1.2.3", "pkg == 34.1.2.3", "pkg >= 34.1.2.3", "pkg > 34.1.2.3", "lib-34.1.2.3.jar", "1.3.6.1.4.1.311", "256.1.1.1",
	// well-known addresses
	"at 34.120.8.0", "at 224.1.2.3", "at 169.254.1.2", "at 192.0.2.1", "at 198.18.1.1", "at 198.19.1.1", "at 172.17.0.5", "at 31.30.29.28", "fe70::1", "4001::1", "2001:db8::5", "/home/q/a", "HOSTNAME=q", "x-/home/kmaron/a", "to k@mail.ee", "to ka@k.ee", "to ka@kmail.eE",
	"127.0.0.1", "0.0.0.0:8080", "255.255.255.0", "8.8.8.8", "1.1.1.1", "169.254.169.254", "10.0.0.0/8", "192.168.0.0/16", "::1", "[::]:80", "std::move", "12:34:56", "aa:bb:cc:dd:ee:ff", "fd::x", "192.0.2.1",
	// system homes and site pages
	"/home/user/app", "/root/x", "/home/ubuntu", "/Users/Shared/x", "href=\"/home/dashboard\"", "src/home/page.tsx", "https://x.com/home/index.html", "/home/node/app", "/home/$USER/x", "/home/<name>/x", "~/src",
	"/home/runner/work", "/api/users/kmaron", "components/Users/List.tsx",
	// people in examples, and machines
	"test@example.com", "user@example.com", "noreply@github.com", "no-reply@x.com", "your_email@gmail.com", "xxx.xxx@gmail.com", "postgres://app:secretpw@db:5432/x", "root@localhost:~$", "host.docker.internal",
	"metadata.google.internal", "x.svc.cluster.local", "threading.local()", "self.local = 1", ".env.local", "settings.local.json", "import torch.internal", `"hostname": hostname`, "HOSTNAME=$(hostname)", "USER=app", "DB_USER=kmaron2",
	// public repositories
	"https://github.com/golang/go/issues/1", "import \"github.com/kmaron/lib\"", "git clone https://github.com/python/cpython", "git@github.com:django/django.git", "github.com/kmaron/lib v1.2.3", "https://github.com/kmaron/lib/pull/7",
	"xdrwxr-xr-x 2 kmaron staff 64 Jan 1 10:00 x", "drwxr-xr-x kmaron staff 64 Jan 1 10:00 x", "drwxr-xr-x 2 kmaron staff x", "drwxr-yr-x 2 kmaron staff 64 Jan 1 10:00 x",
	`git config user.name       "Anna Kern"`, `git config name "Anna Kern"`, "git config user.name Anna Kern", `git config user.name "anna kern"`, `git config user.name "Test Kern"`,
	"ssh into it", "the ssh keys", "Linux kernel 6.8.0", "Darwin was right",
}

// TestNoNames: such texts are unchanged.
func TestNoNames(t *testing.T) {
	for _, text := range noNames {
		n := NewNames(Own{})
		if found := n.Redactor(false).Find([]byte(text)); len(found) > 0 {
			t.Errorf("%q: found %q", text, text[found[0].Start:found[0].End])
		}
	}
}

// TestNamesAreConsistent: a name has the same replacement everywhere, even before the context that
// identifies it, and a replacement is never replaced.
func TestNamesAreConsistent(t *testing.T) {
	n := NewNames(Own{User: "kmaron", Home: "/home/kmaron", Host: "tower.fritz.box", Patterns: []*regexp.Regexp{regexp.MustCompile(`(?i)falcon-\d+`)}})
	n.Learn([]byte("cd /home/berit/x; berit@kiosk-3:~$ Project Falcon-7"))
	for text, want := range map[string]string{
		"Kmaron and Berit at tower":        "user1 and user2 at host1",
		"/home/kmaron /home/berit":         "/home/user1 /home/user2",
		"kiosk-3 falcon-7 FALCON-7":        "host2 name1 name1",
		"/home/user2 user1 host1":          "/home/user2 user1 host1",
		`{"falcon-7":{"berit":1}}`:         `{"name1":{"user2":1}}`,
		"aberit berits xkmaron":            "aberit berits xkmaron",
		"berit_x berit-x berit.x":          "user2_x user2-x user2.x",
		"-home-berit-x":                    "-home-user2-x",
		"\x1b[1mb\x1b[0merit kma\u200bron": "\x1b[1muser2 user1",
		`\u0062erit`:                       "user2",
	} {
		if got := n.String(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := n.String(want); again != want {
			t.Errorf("%q: a second time it is %q", want, again)
		}
	}
	later := NewNames(Own{Replacements: n.Replacements()})
	if got := later.String("/home/nele/x /home/berit/x"); got != "/home/user3/x /home/user2/x" {
		t.Errorf("with the replacements of an earlier run: %q", got)
	}
}

// TestNamesWithDashes: agents write the signs of a name as dashes.
func TestNamesWithDashes(t *testing.T) {
	for _, shown := range []string{"/home/karla_m/x", "/home/karla.m/x", `C:\Users\Karla M\x`} {
		n := NewNames(Own{})
		n.Learn([]byte(shown))
		if got := n.String("see karla-m now"); got != "see user1 now" {
			t.Errorf("after %s: %s", shown, got)
		}
	}
}

// TestNextAddress: a later run continues the numbers of addresses.
func TestNextAddress(t *testing.T) {
	n := NewNames(Own{})
	n.Learn([]byte("at 2a02:908:1234::17"))
	if got := NewNames(Own{Replacements: n.Replacements()}).String("at 2a02:908:1234::18"); got != "at 2001:db8::2" {
		t.Error(got)
	}
}

// TestPatternsAndQuotes: quotes around a match of a pattern are unchanged.
func TestPatternsAndQuotes(t *testing.T) {
	n := NewNames(Own{Patterns: []*regexp.Regexp{regexp.MustCompile(`.falcon-\d+.`)}})
	if got := n.String(`{"falcon-7":"x"}`); got != `{"name1":"x"}` {
		t.Errorf("got %s", got)
	}
}

// TestNamesBeyondASCII: a non-ASCII name is replaced in every spelling, whichever spelling
// identified it.
func TestNamesBeyondASCII(t *testing.T) {
	for name, spellings := range map[string]string{
		"jürgen": `jürgen JÜRGEN ju` + "\u0308" + `rgen j\u00fcrgen j\\u00FCrgen j%C3%BCrgen j%c3%bcrgen j%25C3%25BCrgen ju%CC%88rgen j\303\274rgen j\xc3\xbcrgen j=C3=BCrgen j&uuml;rgen j&#252;rgen j&#xFC;rgen`,
		"öznur":  `öznur Öznur \u00f6znur %C3%B6znur \303\266znur &ouml;znur -öznur- (öznur)`,
		"josé":   `josé jos\u00e9 jos%C3%A9 jos&eacute; jose` + "\u0301",
		"张伟":     `张伟 \u5f20\u4f1f %E5%BC%A0%E4%BC%9F 用户张伟的 a张伟b`,
		"иван":   `Иван \u0418\u0432\u0430\u043d %D0%98%D0%B2%D0%B0%D0%BD`,
		"田中":     `田中さん \u7530\u4e2d`,
	} {
		shown := []string{"/home/" + name + "/x"}
		for spelling := range strings.FieldsSeq(spellings) {
			if !strings.ContainsAny(spelling, "(-用a") && !strings.Contains(spelling, "さん") {
				shown = append(shown, "/home/"+spelling+"/x")
			}
		}
		for _, shows := range shown {
			n := NewNames(Own{})
			n.Learn([]byte(shows))
			all := n.Redactor(true)
			for spelling := range strings.FieldsSeq(spellings) {
				if got := n.String("see " + spelling + " now"); !strings.Contains(got, "user1") || strings.ContainsAny(got, "öüéÖ张伟田иИ%&\\=") {
					t.Errorf("%s after %q: %q became %q", name, shows, spelling, got)
				}
				quoted, err := json.Marshal(map[string]string{spelling: "/home/" + spelling + "/"})
				if out, _ := all.Redact(nil, quoted); err != nil || !json.Valid(out) {
					t.Errorf("%q became %q", quoted, out)
				}
			}
		}
	}
	n := NewNames(Own{})
	for text, want := range map[string]string{
		"Author: 张伟 <zw@webmail.cn>": "Author: user1 <mail1@example.com>", `git config user.name "张伟"`: `git config user.name "user1"`,
		"schöznur xöznur": "schöznur xöznur", "用户 100% &amp; a=C3 \\303 \\x41 %41": "用户 100% &amp; a=C3 \\303 \\x41 %41",
	} {
		n.Learn([]byte("/home/öznur/x"))
		if got := n.String(text); strings.ReplaceAll(got, "user2", "user1") != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestHomeElsewhere: a home folder outside of /home is replaced in full.
func TestHomeElsewhere(t *testing.T) {
	n := NewNames(Own{User: "kmaron", Home: "/net/fast/people/kmaron"})
	if got := n.String("cd /net/fast/people/kmaron/src"); got != "cd /home/user1/src" {
		t.Error(got)
	}
	if got := n.String("in -net-fast-people-kmaron-src"); strings.Contains(got, "fast") {
		t.Error(got)
	}
	if got := NewNames(Own{User: "kmaron", Home: "/kmaron"}).String("cd /kmaron/src"); got != "cd /user1/src" {
		t.Error(got)
	}
}

// TestManyNames: each name has its own replacement.
func TestManyNames(t *testing.T) {
	n := NewNames(Own{})
	seen := map[string]bool{}
	for i := range 2000 {
		with := n.replacement("ip4", string(rune('a'+i%26))+string(rune('a'+i/26)))
		number, ok := numberOf("ip4", with)
		if seen[with] || !ok || number != i+1 || i == 253 && with != "192.0.2.254" || i == 254 && with != "198.18.0.1" {
			t.Fatalf("address %d is %s, number %d", i+1, with, number)
		}
		seen[with] = true
		if got := n.String(with); got != with {
			t.Fatalf("%s is replaced by %s", with, got)
		}
	}
}

// TestNamesKeepJSON: with names next to any text, JSON stays valid, and the time is linear in the
// size of the text.
func TestNamesKeepJSON(t *testing.T) {
	pieces := []string{"kmaron", "/home/kmaron/", `C:\Users\kmaron\`, "\n", "\t", `\`, `"`, "n", "u0041", "@", "tower-7", "kmaron@tower-7:~$", "k@kmail.de", "10.1.2.3", "<", ">", "%40", "git@github.com:a-b/c-d.git", "é", "\x1b[0m", "/", ":", "-home-kmaron-"}
	random := rand.New(rand.NewPCG(1, 2))
	n := NewNames(Own{User: "kmaron", Host: "tower-7"})
	r := n.Redactor(true)
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text, err := json.Marshal(map[string]any{b.String(): b.String()})
		if err != nil {
			t.Fatal(err)
		}
		if random.IntN(3) == 0 {
			text, _ = json.Marshal(string(text))
		}
		out, _ := r.Redact(nil, text)
		if !json.Valid(out) {
			t.Fatalf("%s became %s", text, out)
		}
	}
}
