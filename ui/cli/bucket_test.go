package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"turns/model/modeltest"
	"turns/model/source"
	"turns/model/source/bucket/buckettest"
	"turns/ui/transcripts"
)

// bucketOf returns a server with some transcripts in its bucket, and sets the environment for it.
func bucketOf(t *testing.T, objects map[string]string) *buckettest.Server {
	t.Helper()
	s := buckettest.New(objects)
	t.Cleanup(s.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": s.URL, "AWS_ACCESS_KEY_ID": buckettest.Key, "AWS_SECRET_ACCESS_KEY": buckettest.Secret,
		"AWS_SESSION_TOKEN": buckettest.Token, "AWS_REGION": "eu-west-1", "HOME": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	return s
}

// ask runs the program in the environment of the test.
func ask(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Getenv})
	return code, out.String(), errs.String()
}

func demo(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestABucketIsAFolder: queries about a bucket have the same answers as about a folder.
func TestABucketIsAFolder(t *testing.T) {
	modeltest.Long(t, "it lists, searches and shows all of a bucket")
	t.Setenv("TZ", "UTC")
	said := demo(t)
	objects := map[string]string{
		"team/a.jsonl":      said,
		"team/b c+d.jsonl":  strings.ReplaceAll(said, "flaky", "onlyhere"),
		"team/sub/ä.jsonl":  `{"role":"user","content":"hello"}` + "\n",
		"team/notes.txt":    "no transcript",
		"elsewhere/x.jsonl": said,
	}
	s := bucketOf(t, objects)
	dir := t.TempDir()
	for key, text := range objects {
		path := dir + "/" + key
		if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, buckettest.Written, buckettest.Written); err != nil {
			t.Fatal(err)
		}
	}
	const place = "s3://runs/team"
	for _, args := range [][]string{
		{"ls", "DIR", "--json"}, {"ls", "DIR", "-q", `text:onlyhere`}, {"stats", "DIR"}, {"stats", "DIR", "--by", "agent"}, {"tools", "DIR"}, {"search", "DIR", "onlyhere"},
		{"stats", "DIR/a.jsonl"}, {"show", "DIR/b c+d.jsonl"}, {"ls", "DIR/"}, {"stats", "DIR/*.jsonl", "DIR/sub/ä.jsonl"},
		{"export", "DIR/a.jsonl", "--to", "json"}, {"diff", "DIR/a.jsonl", "DIR/b c+d.jsonl"}, {"diff", "DIR", "DIR/sub"}, {"recap", "DIR"}, {"check", "DIR/a.jsonl"},
	} {
		var answers [2]string
		for i, at := range []string{dir + "/team", place} {
			named := make([]string, len(args))
			for j, a := range args {
				named[j] = strings.ReplaceAll(a, "DIR", at)
			}
			code, out, errs := ask(t, append(named, "--no-state")...)
			if code == exitError || out == "" {
				t.Errorf("%q: exit %d, %s", named, code, errs)
			}
			answers[i] = strings.ReplaceAll(fmt.Sprint(code, "\n", out, errs), at, "DIR")
		}
		if answers[0] != answers[1] {
			t.Errorf("%q: on this machine\n%s\nin the bucket\n%s", args, answers[0], answers[1])
		}
	}
	requests, _ := s.Seen()
	for _, r := range requests {
		if !strings.HasPrefix(r, http.MethodGet+" ") && !strings.HasPrefix(r, http.MethodHead+" ") {
			t.Errorf("the server saw %s", r)
		}
	}
}

// evalOf returns a log of Inspect with samples of a size, as a zip file.
func evalOf(t testing.TB, samples, size int) string {
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

// TestOneSampleIsReadByItself: turns fetches only the requested part of a large archive.
func TestOneSampleIsReadByItself(t *testing.T) {
	log := evalOf(t, 100, 200<<10)
	s := bucketOf(t, map[string]string{"large.eval": log})
	code, out, errs := ask(t, "show", "s3://runs/large.eval#70", "--no-state")
	if code != 0 || !strings.Contains(out, "question 70 ") {
		t.Errorf("exit %d: %.200s %s", code, out, errs)
	}
	requests, sent := s.Seen()
	if sent > int64(len(log))/50 || len(requests) > 12 {
		t.Errorf("%d of %d bytes were sent in %d requests", sent, len(log), len(requests))
	}
	path := t.TempDir() + "/large.eval"
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, local, _ := ask(t, "show", path+"#70", "--no-state"); local != out {
		t.Errorf("the file says %.200s", local)
	}
}

// TestWhatABucketDoesNotGive: a missing or forbidden object is a named error, the others are read.
func TestWhatABucketDoesNotGive(t *testing.T) {
	said := demo(t)
	s := bucketOf(t, map[string]string{"d/a.jsonl": said, "d/b.jsonl": said})
	s.Instead = func(w http.ResponseWriter, r *http.Request) bool {
		closed := strings.HasSuffix(r.URL.Path, "/d/b.jsonl") || strings.HasPrefix(r.URL.Path, "/closed")
		if closed {
			w.WriteHeader(http.StatusForbidden)
		}
		return closed
	}
	for _, test := range []struct {
		args []string
		out  string
		errs []string
	}{
		{[]string{"ls", "s3://runs/d"}, "a.jsonl", []string{`"s3://runs/d/b.jsonl"`, "may not be read with these credentials"}},
		{[]string{"stats", "s3://runs/d"}, "all         1 ", []string{`"s3://runs/d/b.jsonl"`, "may not be read"}},
		{[]string{"stats", "s3://runs/d/a.jsonl", "s3://runs/none"}, "all         1 ", []string{`"s3://runs/none"`, "there is nothing in the bucket"}},
		{[]string{"ls", "s3://closed/d"}, "", []string{`"s3://closed/d"`, "may not be read"}},
		{[]string{"ls", "s3://other/d"}, "", []string{`"s3://other/d"`, "there is no such bucket"}},
		{[]string{"show", "s3://runs/x.jsonl"}, "", []string{"there is nothing in the bucket"}},
		{[]string{"show", "s3://KEY:SECRET/x@runs/a"}, "", []string{"s3://xxxxx"}},
		{[]string{"ls", "s3://"}, "", []string{"does not name a bucket"}},
	} {
		code, out, errs := ask(t, append(test.args, "--no-state")...)
		if code != exitError || !strings.Contains(out, test.out) || strings.Contains(errs, "SECRET") || strings.Contains(errs, buckettest.Secret) {
			t.Errorf("%q: exit %d\n%s\n%s", test.args, code, out, errs)
		}
		for _, want := range test.errs {
			if !strings.Contains(errs, want) || strings.Count(errs, "turns: error:") != 1 {
				t.Errorf("%q says %s", test.args, errs)
			}
		}
	}
}

// TestALogThatMayNotBeLookedAt: without permission to list a bucket, a request for a missing object
// is refused. A database is shown without the log that may be next to it, and turns reports that.
func TestALogThatMayNotBeLookedAt(t *testing.T) {
	path := t.TempDir() + "/opencode.db"
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE session(id TEXT, parent_id TEXT, title TEXT, directory TEXT, time_created INT, time_updated INT)`,
		`CREATE TABLE message(id TEXT, session_id TEXT, data TEXT, time_created INT)`,
		`CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT)`,
		`INSERT INTO session VALUES('s', NULL, 'a title', '/w', 1, 1)`,
		`INSERT INTO message VALUES('m', 's', '{"role":"user"}', 1)`,
		`INSERT INTO part VALUES('p', 'm', 's', '{"type":"text","text":"words of the base"}')`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const name = "d/opencode.db"
	s := bucketOf(t, map[string]string{name: string(data)})
	s.Instead = func(w http.ResponseWriter, r *http.Request) bool {
		refused := !strings.HasSuffix(r.URL.Path, "/"+name)
		if refused {
			w.WriteHeader(http.StatusForbidden)
		}
		return refused
	}
	code, out, errs := ask(t, "show", "s3://runs/"+name, "--no-state")
	if code != exitError || !strings.Contains(out, "words of the base") || !strings.Contains(errs, `what was written last is missing, if there is a log: look at "s3://runs/d/opencode.db-wal"`) {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
}

// BenchmarkFirstRowsOfABucket measures the time until the first rows of 1,418 transcripts, at 20 ms
// per request.
func BenchmarkFirstRowsOfABucket(b *testing.B) {
	text := strings.Repeat(demo(b), 10)
	objects := map[string]string{}
	for i := range 1418 {
		objects[fmt.Sprintf("runs/%d/s.jsonl", i)] = text
	}
	s := buckettest.New(objects)
	defer s.Close()
	s.Latency, s.Open = 20*time.Millisecond, true
	env := map[string]string{"AWS_ENDPOINT_URL": s.URL}
	for b.Loop() {
		ctx, end := source.WithPlaces(b.Context(), func(name string) string { return env[name] })
		began := time.Now()
		list, err := transcripts.New(transcripts.Options{Dirs: []string{"s3://runs/runs"}}).Sessions(ctx, false)
		if err != nil {
			b.Fatal(err)
		}
		rows := 0
		for _, err := range list.Rows {
			if rows++; err != nil {
				b.Fatal(err)
			} else if rows == 1 {
				b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-first-row")
			}
		}
		if rows != len(objects) {
			b.Fatal(rows)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-all-rows")
		if err := end(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTwoServersWithOneName caches a list and sums of a bucket, then queries another server with a
// bucket of the same name, and the first one after a change within the same second: neither gets
// the cached answers.
func TestTwoServersWithOneName(t *testing.T) {
	asked := func(s *buckettest.Server) (list, sums string) {
		t.Setenv("AWS_ENDPOINT_URL", s.URL)
		_, list, _ = ask(t, "ls", "s3://runs/d")
		_, sums, _ = ask(t, "stats", "s3://runs/d", "--by", "project")
		return list, sums
	}
	line := func(word string) map[string]string {
		return map[string]string{"d/a.jsonl": fmt.Sprintf(`{"type":"user","sessionId":%q,"uuid":"u","cwd":"/%[1]s","version":"1","timestamp":"2026-02-11T09:14:02Z","message":{"role":"user","content":%[1]q}}`, word) + "\n"}
	}
	first := bucketOf(t, line("first"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	second := buckettest.New(line("other"))
	defer second.Close()
	for _, ask := range []struct {
		s    *buckettest.Server
		want string
	}{{first, "first"}, {second, "other"}, {first, "first"}, {first, "third"}} {
		for key, text := range line(ask.want) {
			ask.s.Put(key, text)
		}
		list, sums := asked(ask.s)
		if !strings.Contains(list, ask.want) || !strings.Contains(sums, ask.want) {
			t.Errorf("of %s it says\n%s%s", ask.want, list, sums)
		}
	}
}
