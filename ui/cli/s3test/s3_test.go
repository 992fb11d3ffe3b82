package s3test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"turns/model/source/bucket"
	"turns/model/source/remote"
	"turns/ui/cli"
)

const (
	key    = "AKIDTEST"
	secret = "secret-of-the-test"
)

// server is an S3 server with the bucket "runs", and a client that writes.
type server struct {
	t      *testing.T
	url    string
	client *minio.Client
}

// start starts a server and sets the environment for it.
func start(t *testing.T) server {
	t.Helper()
	s := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(s.Close)
	client, err := minio.New(strings.TrimPrefix(s.URL, "http://"), &minio.Options{Creds: credentials.NewStaticV4(key, secret, "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(t.Context(), "runs", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": s.URL, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
		"HOME": t.TempDir(), "XDG_CACHE_HOME": t.TempDir(), "TZ": "UTC",
	} {
		t.Setenv(name, value)
	}
	return server{t, s.URL, client}
}

// put writes an object.
func (s server) put(key, text string) {
	s.t.Helper()
	if _, err := s.client.PutObject(s.t.Context(), "runs", key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// store returns the bucket as the program reads it.
func (s server) store() *bucket.Store {
	s.t.Helper()
	store, err := bucket.Open("runs", bucket.Of("s3", os.Getenv, ""))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { store.Close() })
	return store
}

// turns runs the program.
func turns(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Run(t.Context(), args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Getenv})
	return code, out.String(), errs.String()
}

func session(words string) string {
	line := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err) // of strings only
		}
		return string(data) + "\n"
	}
	return line(map[string]string{"role": "user", "content": words}) + line(map[string]string{"role": "assistant", "content": "an answer to " + words})
}

// oddNames are keys with characters that addresses, queries or XML treat in their own way.
var oddNames = []string{
	"a b.jsonl", "a+b.jsonl", "100%.jsonl", "a%20b.jsonl", "a%2Fb.jsonl", "ä ö.jsonl", "日本語/会話.jsonl", "e\u0301.jsonl", "é.jsonl", "🙂.jsonl", "a&b=c.jsonl",
	"a?b.jsonl", "<a>.jsonl", "it's \"a\".jsonl", "a;b,c.jsonl", "a:b@c.jsonl", "~a$(x).jsonl", "a[1]*.jsonl", "dir.jsonl/b.jsonl", "-a.jsonl",
}

// TestOddNames lists, reads and searches objects with odd names.
func TestOddNames(t *testing.T) {
	s := start(t)
	for i, name := range oddNames {
		s.put("d/"+name, session(fmt.Sprintf("word%02d", i)))
	}
	code, out, errs := turns(t, "ls", "s3://runs/d", "--json", "--no-state")
	if code != 0 || errs != "" {
		t.Fatalf("ls: exit %d\n%s%s", code, out, errs)
	}
	paths := map[string]bool{}
	for line := range strings.Lines(out) {
		var row struct{ Path string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		paths[row.Path] = true
	}
	for i, name := range oddNames {
		path, word := "s3://runs/d/"+name, fmt.Sprintf("word%02d", i)
		if !paths[path] {
			t.Errorf("%q is not in the list", path)
		}
		delete(paths, path)
		if code, out, errs := turns(t, "show", path, "--no-state"); code != 0 || !strings.Contains(out, word) {
			t.Errorf("show %q: exit %d, %s%s", path, code, out, errs)
		}
	}
	if len(paths) > 0 {
		t.Errorf("also listed: %q", slices.Sorted(maps.Keys(paths)))
	}
}

// TestPages lists more objects than fit on a page of the server.
func TestPages(t *testing.T) {
	const objects = 2300
	s := start(t)
	for i := range objects {
		s.put(fmt.Sprintf("many/%04d.jsonl", i), session(fmt.Sprint(i)))
	}
	s.put("other.jsonl", session("beside"))
	pages, keys := 0, []string{}
	err := s.store().List(t.Context(), "many/", func(some []remote.Object) {
		pages++
		for _, o := range some {
			keys = append(keys, o.Key)
		}
	})
	if err != nil || pages < 3 || len(keys) != objects || keys[objects-1] != fmt.Sprintf("many/%04d.jsonl", objects-1) || !slices.IsSorted(keys) {
		t.Errorf("%d keys in %d pages, %v", len(keys), pages, err)
	}
	code, out, errs := turns(t, "stats", "s3://runs/many", "--json", "--no-tokens", "--no-state")
	var sums struct{ Sessions int }
	if err := json.Unmarshal([]byte(out), &sums); code != 0 || err != nil || sums.Sessions != objects {
		t.Errorf("exit %d, %v: %d sessions\n%s", code, err, sums.Sessions, errs)
	}
}

// TestRanges reads parts of an object, refuses an object that has changed meanwhile, and reads one
// sample of a large archive.
func TestRanges(t *testing.T) {
	s := start(t)
	text := strings.Repeat("0123456789", 10_000)
	s.put("o", text)
	store := s.store()
	o, err := store.Stat(t.Context(), "o")
	if err != nil || o.Size != int64(len(text)) {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, r := range [][2]int{{0, 1}, {0, len(text)}, {1, 10}, {len(text) - 1, 1}, {len(text) - 99, 99}, {50_000, 20_000}} {
		p := make([]byte, r[1])
		if err := store.Read(t.Context(), o, p, int64(r[0])); err != nil || string(p) != text[r[0]:r[0]+r[1]] {
			t.Errorf("%v: %v", r, err)
		}
	}
	s.put("o", strings.ToUpper(text)+"more")
	if err := store.Read(t.Context(), o, make([]byte, 10), 5); !errors.Is(err, remote.ErrChanged) {
		t.Errorf("a replaced object is read with %v", err)
	}
	s.put("large.eval", evalOf(t, 50, 100<<10))
	if code, out, errs := turns(t, "show", "s3://runs/large.eval#37", "--no-state"); code != 0 || !strings.Contains(out, "question 37 ") {
		t.Errorf("exit %d: %.200s %s", code, out, errs)
	}
}

// evalOf returns a log of Inspect with samples of a size.
func evalOf(t *testing.T, samples, size int) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name, text string) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("header.json", `{"version":2,"status":"success","eval":{"run_id":"r","created":"2026-02-11T10:00:00+00:00","task":"t","model":"m"}}`)
	for i := range samples {
		add(fmt.Sprintf("samples/%d_epoch_1.json", i+1), fmt.Sprintf(`{"id":%d,"epoch":1,"input":"i","messages":[{"role":"user","content":"question %d %s"}]}`, i+1, i+1, strings.Repeat("x", size)))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// follower is turns -f in the background.
type follower struct {
	args    []string
	lines   *bufio.Scanner
	printed strings.Builder
	stop    context.CancelFunc
	code    chan int
}

func follow(t *testing.T, args ...string) *follower {
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	f := &follower{args: args, lines: bufio.NewScanner(r), stop: stop, code: make(chan int, 1)}
	go func() {
		f.code <- cli.Run(ctx, append([]string{"-f"}, args...), cli.IO{In: strings.NewReader(""), Out: w, Err: io.Discard, Env: os.Getenv})
		w.Close()
	}()
	t.Cleanup(func() { stop(); r.Close() })
	return f
}

// next reads the next line that contains a text.
func (f *follower) next(t *testing.T, text string) {
	t.Helper()
	for f.lines.Scan() {
		line := f.lines.Text()
		if f.printed.WriteString(line + "\n"); strings.Contains(line, text) {
			return
		}
	}
	t.Fatalf("%q: no line has %q", f.args, text)
}

// TestFollow follows a growing object, and the newest one of a folder, until an interrupt.
func TestFollow(t *testing.T) {
	s := start(t)
	text := session("first words")
	s.put("d/a.jsonl", text)
	followers := []*follower{
		follow(t, "s3://runs/d/a.jsonl"), follow(t, "s3://runs/d/a.jsonl", "--plain"), follow(t, "s3://runs/d/a.jsonl", "--json"), follow(t, "s3://runs/d"),
	}
	for _, word := range []string{"first words", "second words", "third words"} {
		if word != "first words" {
			text += session(word)
			s.put("d/a.jsonl", text)
		}
		for _, f := range followers {
			f.next(t, "an answer to "+word)
		}
	}
	for _, f := range followers {
		f.stop()
		for f.lines.Scan() {
			t.Errorf("%q: a line after the interrupt: %q", f.args, f.lines.Text())
		}
		if code := <-f.code; code != 130 {
			t.Errorf("%q: exit %d", f.args, code)
		}
		if all := f.printed.String(); strings.Count(all, "an answer to ") != 3 {
			t.Errorf("%q printed\n%s", f.args, all)
		}
	}
}

// TestLocalAnswers: answers about a bucket are those about a folder with the same files, and the
// tables of both have the same rows.
func TestLocalAnswers(t *testing.T) {
	s := start(t)
	demo, err := os.ReadFile("../../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "team")
	for name, text := range map[string]string{
		"a.jsonl": string(demo), "sub/b c+d.jsonl": strings.ReplaceAll(string(demo), "flaky", "onlyhere"), "sub/ä.jsonl": session("hello"), "notes.txt": "no transcript",
	} {
		s.put("team/"+name, text)
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"stats", "DIR"}, {"stats", "DIR", "--by", "agent", "--json"}, {"tools", "DIR"}, {"cost", "DIR", "--json"}, {"search", "DIR", "onlyhere"}, {"failures", "DIR"},
		{"show", "DIR/sub/b c+d.jsonl"}, {"stats", "DIR/a.jsonl", "DIR/sub/*.jsonl"}, {"export", "DIR/a.jsonl", "--to", "json"}, {"recap", "DIR"}, {"check", "DIR/a.jsonl"},
	} {
		var answers [2]string
		for i, at := range []string{dir, "s3://runs/team"} {
			named := make([]string, len(args))
			for j, a := range args {
				named[j] = strings.ReplaceAll(a, "DIR", at)
			}
			code, out, errs := turns(t, append(named, "--no-state")...)
			answers[i] = strings.ReplaceAll(fmt.Sprint(code, "\n", out, errs), at, "DIR")
		}
		if answers[0] != answers[1] {
			t.Errorf("%q: on this machine\n%s\nin the bucket\n%s", args, answers[0], answers[1])
		}
	}
}

// TestRefusals: each refusal of the server is one error with its reason.
func TestRefusals(t *testing.T) {
	s := start(t)
	s.put("d/a.jsonl", session("hello"))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"ls", "s3://nowhere/d"}, "there is no such bucket"},
		{[]string{"show", "s3://nowhere/a.jsonl"}, "there is no such bucket"},
		{[]string{"-f", "s3://nowhere/a.jsonl"}, "there is no such bucket"},
		{[]string{"show", "s3://runs/d/none.jsonl"}, "there is nothing in the bucket under this name"},
		{[]string{"ls", "s3://runs/none"}, "there is nothing in the bucket under this name"},
		{[]string{"stats", "s3://runs/d/a.jsonl", "s3://runs/none.jsonl"}, "there is nothing in the bucket under this name"},
		{[]string{"archive", "s3://runs/d", "--into", filepath.Join(t.TempDir(), "archive")}, `"s3://runs/d" is not a path of this machine`},
		{[]string{"archive", t.TempDir(), "--into", "s3://runs/archive"}, `"s3://runs/archive" is not a path of this machine`},
	} {
		code, out, errs := turns(t, append(test.args, "--no-state")...)
		if code != 2 || !strings.Contains(errs, test.want) || strings.Count(errs, "turns: error:") != 1 || strings.Contains(errs, secret) {
			t.Errorf("%q: exit %d\n%s%s", test.args, code, out, errs)
		}
	}
}
