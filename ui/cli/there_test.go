package cli

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model/modeltest"
)

// TestHintsFitTheFault: each error of ssh has its own hint, and only a refused login asks for a
// login without a password.
func TestHintsFitTheFault(t *testing.T) {
	for said, want := range map[string]string{
		"ssh: Could not resolve hostname box: Name or service not known":      "check the name of the host",
		"Host key verification failed.":                                       "connect once with ssh box",
		"ssh: connect to host box port 22: Connection refused":                "no ssh server answers there",
		"ssh: connect to host box port 22: Connection timed out":              "the host does not answer",
		"ssh: connect to host box port 22: No route to host":                  "the host does not answer",
		"ssh: connect to host box port 22: Network is unreachable":            "the host does not answer",
		"me@box: Permission denied (publickey,password,keyboard-interactive)": "ssh box must work without a password",
		"kex_exchange_identification: read: Connection reset by peer":         "ssh box shows what is wrong",
	} {
		hint := sshHint("box", said)
		if !strings.HasPrefix(hint, want) || strings.Contains(hint, "password") != strings.Contains(said, "denied") || strings.Contains(hint, "%s") {
			t.Errorf("%s: %q", said, hint)
		}
	}
	if len(sshFaults) != 7 {
		t.Errorf("%d faults, and the table of this test has 7", len(sshFaults))
	}
}

// askedOfHosts are command lines whose answers may name paths, each with %s for the folder of
// sessions. A host with turns must answer all of them.
var askedOfHosts = [][]string{
	{"ls", "%s"}, {"ls", "%s", "--json"}, {"ls", "%s/*.jsonl", "--exact"}, {"ls", "%s/deep", "--sort", "when"},
	{"show", "%s/a.jsonl", "--first", "2"}, {"show", "%s/a.jsonl", "--json", "--last", "1"}, {"%s/a.jsonl", "--plain"},
	{"search", "%s", "flaky"}, {"search", "%s/a.jsonl", "flaky", "--json"}, {"search", "%s", "no such words"},
	{"stats", "%s/a.jsonl"}, {"stats", "%s", "--json"}, {"stats", "%s", "--by", "session"}, {"stats", "%s/chat.db", "--json"},
	{"tools", "%s/a.jsonl", "--json"}, {"tools", "%s", "--by", "session", "--json"}, {"timeline", "%s/a.jsonl", "--json"}, {"log", "%s/a.jsonl", "--json"}, {"log", "%s", "--json"},
	{"cost", "%s/a.jsonl", "--json"}, {"cost", "%s", "--by", "session"}, {"context", "%s/a.jsonl", "--json"}, {"trim", "%s/a.jsonl", "--budget", "20000"},
	{"recap", "%s", "--json"}, {"recap", "%s/a.jsonl"}, {"failures", "%s", "--json"}, {"failures", "%s/a.jsonl"}, {"loops", "%s", "--json"}, {"loops", "%s"},
	{"check", "%s/a.jsonl"}, {"check", "%s", "--json"}, {"diff", "%s/a.jsonl", "%s/deep/b's $(x).jsonl", "--json"}, {"diff", "%s/a.jsonl", "%s/deep/b's $(x).jsonl"},
	{"export", "%s/a.jsonl", "--to", "markdown"}, {"export", "%s/a.jsonl", "--to", "jsonl"}, {"export", "%s/a.jsonl", "--to", "csv"}, {"export", "%s/a.jsonl", "--to", "otlp"},
	{"stats", "%s/none.jsonl"}, {"show", "%s/none/none.jsonl"}, {"ls", "%s/none"}, {"show", "%s"}, {"search", "%s/none", "x"}, {"show", "%s/empty.jsonl"}, {"stats", "%s/cut.zip"},
	{"stats", "%s/a.jsonl", "%s/none.jsonl"}, {"show", "%s/a.jsonl", "--session", "9"}, {"show", "%s/gone.jsonl"}, {"ls", "%s/*.nothing"}, {"stats", "%s/two", "--json"},
}

// hostFiles writes the sessions of a host into a folder.
func hostFiles(t *testing.T, dir string) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("../../testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	demo := read("demo.jsonl")
	old := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	for name, data := range map[string][]byte{
		"a.jsonl": demo, "deep/b's $(x).jsonl": bytes.ReplaceAll(demo, []byte("flaky"), []byte("shaky")), "empty.jsonl": nil, "cut.zip": []byte("PK\x03\x04cut"),
		"two/conversations.json": read("formats/claude-ai/conversations.json"), "chat.db": nil,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "chat.db" {
			gooseSessions(t, path)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "gone.jsonl")); err != nil {
		t.Fatal(err)
	}
}

// gooseSessions makes a database file with two sessions.
func gooseSessions(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT, model_config_json TEXT)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)`,
		`INSERT INTO sessions VALUES ('a','first','','/w','2026-01-01 10:00:00','',NULL), ('b','second','','/w','2026-01-02 10:00:00','',NULL)`,
		`INSERT INTO messages VALUES (1,'m1','a','user','[{"type":"text","text":"hello"}]',1767261600,NULL), (2,'m2','b','user','[{"type":"text","text":"bye"}]',1767348000,NULL)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// compareHosts compares the answers of a host with turns installed and without, for each nth
// question of the table.
func compareHosts(t *testing.T, folder string, nth int, install func(bool)) {
	t.Helper()
	clock := regexp.MustCompile(`(?m)^(  "now": |- \*\*Exported:\*\* ).*`) // of recaps and exports
	for i := 0; i < len(askedOfHosts); i += nth {
		args := slices.Clone(askedOfHosts[i])
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "%s", folder)
		}
		args = append(args, "--no-state")
		install(false)
		wantCode, want, wantSaid := run(t, "", args...)
		install(true)
		code, got, said := run(t, "", args...)
		if code != wantCode || clock.ReplaceAllString(got, "") != clock.ReplaceAllString(want, "") || said != wantSaid {
			t.Errorf("%q: with turns on the host: %d\n%s%s\nwithout: %d\n%s%s", args, code, got, said, wantCode, want, wantSaid)
		}
		if strings.Contains(strings.ReplaceAll(got, folder, ""), "runs/") {
			t.Errorf("%q prints a path without its host: %.600s", args, got)
		}
	}
}

// equipped returns a folder with a program that calls turns and counts its runs as lines of a file.
func equipped(t *testing.T, asked string) (dir string) {
	t.Helper()
	program := modeltest.Program(t, programName)
	dir = t.TempDir()
	script := "#!/bin/sh\necho >>" + quoteThere(asked) + "\nexec " + quoteThere(program) + ` "$@"` + "\n"
	if err := os.WriteFile(filepath.Join(dir, programName), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// countLines returns the number of lines of a file, 0 if it does not exist.
func countLines(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

// TestHostsAnswerAlike: the host returns the same bytes whether turns is installed there or not,
// for paths in its home folder, below it and absolute ones.
func TestHostsAnswerAlike(t *testing.T) {
	modeltest.Long(t, "it asks a host hundreds of times")
	modeltest.Unix(t, "the host of this test is a shell script")
	asked := filepath.Join(t.TempDir(), "asked")
	with := equipped(t, asked)
	home := hostHere(t)
	script := "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nPATH=$HOST_PATH; cd \"$HOME\" && exec sh -c \"$3\"\n"
	if err := os.WriteFile(modeltest.Program(t, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	hostFiles(t, filepath.Join(home, "runs"))
	for folder, nth := range map[string]int{"box:runs": 1, "me@box:~/runs": 5, "box:" + home + "/runs": 7} {
		before := countLines(t, asked)
		compareHosts(t, folder, nth, func(has bool) {
			path := "/usr/bin:/bin"
			if has {
				path = with + ":" + path
			}
			t.Setenv("HOST_PATH", path)
		})
		if n, want := countLines(t, asked)-before, (len(askedOfHosts)+nth-1)/nth; n != want {
			t.Errorf("%s: turns on the host answered %d of %d questions", folder, n, want)
		}
	}
}

// TestRealHostsAnswerAlike queries a real sshd of this machine, with turns on the PATH of its
// sessions and without.
func TestRealHostsAnswerAlike(t *testing.T) {
	modeltest.Long(t, "it starts a server and asks it dozens of times")
	modeltest.Unix(t, "sshd of this test is that of a Unix system")
	bare := startSSHD(t, "/usr/bin:/bin")
	asked := filepath.Join(t.TempDir(), "asked")
	with := equipped(t, asked)
	dir := t.TempDir()
	hostFiles(t, filepath.Join(dir, "runs"))
	full := startSSHD(t, with+":/usr/bin:/bin")
	compareHosts(t, "box:"+dir+"/runs", 15, func(has bool) {
		config := bare
		if has {
			config = full
		}
		t.Setenv("PATH", config+":"+os.Getenv("PATH"))
	})
	if n, want := countLines(t, asked), (len(askedOfHosts)+14)/15; n != want {
		t.Errorf("turns on the host answered %d of %d questions", n, want)
	}
}

// startSSHD starts a server for the user of the test and returns a folder with an ssh that connects
// to it, for any host name.
func startSSHD(t *testing.T, path string) (bin string) {
	t.Helper()
	if os.Getenv("TURNS_SSHD") == "" {
		t.Skip("TURNS_SSHD=1 runs it with the sshd of this machine")
	}
	sshd, ssh := "/usr/sbin/sshd", modeltest.Program(t, "ssh")
	if _, err := os.Stat(sshd); err != nil {
		t.Skip("sshd is not installed: " + err.Error())
	}
	keygen := modeltest.Program(t, "ssh-keygen")
	dir := t.TempDir()
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close() // for sshd
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("sshd_config", "Port "+port+"\nListenAddress 127.0.0.1\nHostKey "+dir+"/host\nAuthorizedKeysFile "+dir+"/user.pub\n"+
		"StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\nSetEnv PATH="+path+"\n", 0o600)
	write("ssh_config", "Host *\nHostName 127.0.0.1\nPort "+port+"\nIdentityFile "+dir+"/user\nIdentitiesOnly yes\n"+
		"StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\nConnectionAttempts 50\n", 0o600)
	bin = filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	write("bin/ssh", "#!/bin/sh\nexec "+ssh+" -F "+dir+`/ssh_config "$@"`+"\n", 0o700)
	separateSSHD(t)
	if out, err := exec.Command(sshd, "-t", "-f", filepath.Join(dir, "sshd_config")).CombinedOutput(); err != nil {
		t.Skipf("sshd cannot start on this machine: %v: %s", err, out)
	}
	server := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	if out, err := exec.Command(filepath.Join(bin, "ssh"), "-o", "BatchMode=yes", "box", "true").CombinedOutput(); err != nil {
		t.Skipf("sshd of this machine refuses its user: %v: %s", err, out)
	}
	return bin
}

// separateSSHD creates the empty folder that sshd needs if it runs as root. On Debian, the start of
// the service creates it.
func separateSSHD(t *testing.T) {
	const dir = "/run/sshd"
	if os.Getuid() == 0 && os.Mkdir(dir, 0o755) == nil {
		t.Cleanup(func() { _ = os.Remove(dir) })
	}
}
