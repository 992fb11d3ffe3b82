package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"turns/model/source/bucket/buckettest"
)

// bucketOf is a server with some transcripts in its bucket, and the environment that tells of it.
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

// ask runs the program with the environment of the test.
func ask(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Getenv})
	return code, out.String(), errs.String()
}

func demo(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestABucketIsAFolder asks a bucket what a folder is asked, and gets the same answers.
func TestABucketIsAFolder(t *testing.T) {
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
		{"export", "DIR/a.jsonl", "--to", "json"}, {"diff", "DIR/a.jsonl", "DIR/b c+d.jsonl"}, {"diff", "DIR", "DIR/sub"}, {"threads", "DIR"}, {"check", "DIR/a.jsonl"},
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
