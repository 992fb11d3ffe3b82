package bucket_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"turns/model/source/bucket"
	"turns/model/source/bucket/buckettest"
	"turns/model/source/remote"
)

func open(t *testing.T, s *buckettest.Server, c bucket.Config) *bucket.Store {
	t.Helper()
	c.Endpoint, c.Region, c.Tries = s.URL, "us-east-1", 1
	if c.Credentials == nil {
		c.Credentials = credentials.NewStaticV4(buckettest.Key, buckettest.Secret, buckettest.Token)
	}
	store, err := bucket.Open("runs", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// TestWhatServersDo has servers that refuse, send wrong data, break off and never end: each error
// is one line, without the keys, and in time.
func TestWhatServersDo(t *testing.T) {
	text := strings.Repeat("0123456789", 100)
	answer := func(status int, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	object := func(w http.ResponseWriter) {
		w.Header().Set("ETag", `"other"`)
		w.Header().Set("Last-Modified", buckettest.Written.Format(http.TimeFormat))
	}
	hang := func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}
	for _, test := range []struct {
		name    string
		instead func(http.ResponseWriter, *http.Request) bool
		list    bool
		want    string
		kind    error
	}{
		{"forbidden", answer(403, `<Error><Code>AccessDenied</Code></Error>`), true, "may not be read with these credentials", fs.ErrPermission},
		{"a wrong secret", answer(403, `<Error><Code>SignatureDoesNotMatch</Code><StringToSign>`+buckettest.Key+`</StringToSign></Error>`), false, "the secret key is not the one", fs.ErrPermission},
		{"no bucket", answer(404, `<Error><Code>NoSuchBucket</Code></Error>`), true, "there is no such bucket", fs.ErrNotExist},
		{"gone meanwhile", answer(404, `<Error><Code>NoSuchKey</Code></Error>`), false, "there is nothing in the bucket", fs.ErrNotExist},
		{"changed meanwhile", answer(412, `<Error><Code>PreconditionFailed</Code></Error>`), false, "changed while it was read", remote.ErrChanged},
		{"another object all the same", func(w http.ResponseWriter, _ *http.Request) bool {
			object(w)
			w.Header().Set("Content-Range", "bytes 10-29/1000")
			w.WriteHeader(206)
			fmt.Fprint(w, text[10:30])
			return true
		}, false, "changed while it was read", remote.ErrChanged},
		{"all for a range", func(w http.ResponseWriter, _ *http.Request) bool {
			object(w)
			w.Header().Del("ETag")
			fmt.Fprint(w, text)
			return true
		}, false, "does not give the range", nil},
		{"another range", func(w http.ResponseWriter, _ *http.Request) bool {
			object(w)
			w.Header().Del("ETag")
			w.Header().Set("Content-Range", "bytes 0-19/1000")
			w.WriteHeader(206)
			fmt.Fprint(w, text[:20])
			return true
		}, false, "does not give the range", nil},
		{"a body that breaks off", func(w http.ResponseWriter, _ *http.Request) bool {
			object(w)
			w.Header().Del("ETag")
			w.Header().Set("Content-Range", "bytes 10-29/1000")
			w.Header().Set("Content-Length", "20")
			w.WriteHeader(206)
			fmt.Fprint(w, text[10:15])
			return true
		}, false, "breaks off after 5 of 20 bytes", nil},
		{"elsewhere", func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(307)
			return true
		}, false, "sends elsewhere (307)", nil},
		{"a server that says much", answer(400, `<Error><Code>Odd</Code><Message>`+strings.Repeat("x", 100_000)+`</Message></Error>`), true, "the server answers 400: xxx", nil},
		{"no list", answer(200, "<html><body>log in</body></html>"), true, "not one of a bucket", nil},
		{"a list without end", func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(w, `<ListBucketResult><Contents><Key>`)
			for range 100 {
				if _, err := fmt.Fprint(w, strings.Repeat("k", 100<<10)); err != nil {
					return true
				}
			}
			return true
		}, true, "longer than", nil},
		{"a list that goes round", answer(200, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>`), true, "does not go on", nil},
		{"a list of what was not asked for", answer(200, `<ListBucketResult><Contents><Key>b/../../etc</Key><Size>1</Size></Contents></ListBucketResult>`), true, "does not go on", nil},
		{"empty entries without end", answer(200, `<ListBucketResult>`+strings.Repeat("<Contents/>", 300_000)+`</ListBucketResult>`), true, "too many elements", nil},
		{"deep elements", answer(200, `<ListBucketResult>`+strings.Repeat("<a>", 200_000)), true, "too many elements", nil},
		{"deep elements in an error", answer(400, strings.Repeat("<a>", 200_000)), true, "the server", nil},
		{"a key of megabytes", answer(200, `<ListBucketResult><Contents><Key>a`+strings.Repeat("k", 7<<20)+`</Key><Size>1</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents></ListBucketResult>`), true, "that no object has", nil},
		{"a size of a petabyte", answer(200, `<ListBucketResult><Contents><Key>a</Key><Size>1125899906842624</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents></ListBucketResult>`), true, "that no object has", nil},
		{"a size below zero", answer(200, `<ListBucketResult><Contents><Key>a</Key><Size>-1</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents></ListBucketResult>`), true, "does not go on", nil},
		{"a size that is no number", answer(200, `<ListBucketResult><Contents><Key>a</Key><Size>many</Size></Contents></ListBucketResult>`), true, "not one of a bucket", nil},
		{"a time that is none", answer(200, `<ListBucketResult><Contents><Key>a</Key><Size>1</Size><LastModified>now</LastModified></Contents></ListBucketResult>`), true, "not one of a bucket", nil},
		{"the keys in an error", answer(400, `<Error><Code>Odd</Code><Message>you sent `+buckettest.Key+` and a token</Message></Error>`), true, "the server answers 400: you sent [redacted]", nil},
		{"silence", hang, false, "does not answer in time", context.DeadlineExceeded},
		{"silence of a list", hang, true, "does not answer in time", context.DeadlineExceeded},
	} {
		s := buckettest.New(nil)
		s.Instead = test.instead
		patient := time.Minute
		if test.kind == context.DeadlineExceeded {
			patient = 50 * time.Millisecond
		}
		store := open(t, s, bucket.Config{Patient: patient})
		var err error
		if test.list {
			err = store.List(t.Context(), "a", func([]remote.Object) {})
		} else {
			err = store.Read(t.Context(), remote.Object{Key: "a", Size: 1000, Tag: "t"}, make([]byte, 20), 10)
		}
		switch {
		case err == nil || !strings.Contains(err.Error(), test.want):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		case test.kind != nil && !errors.Is(err, test.kind):
			t.Errorf("%s: %v is not %v", test.name, err, test.kind)
		case len(err.Error()) > 300, strings.Contains(err.Error(), "127.0.0.1"), strings.Contains(err.Error(), buckettest.Key):
			t.Errorf("%s: says %q", test.name, err)
		}
		s.Close()
	}
}

// TestWhyNothingIsTold asks servers for a name, first as an object: that answer has no text, and
// the list after it has the reason.
func TestWhyNothingIsTold(t *testing.T) {
	for _, test := range []struct {
		code         string
		status, list int // answers to HEAD and to a list; 0: as ever
		want         string
		kind         error
	}{
		{"ExpiredToken", 400, 400, "the session token has expired", fs.ErrPermission},
		{"InvalidToken", 400, 400, "does not know the session token", fs.ErrPermission},
		{"RequestTimeTooSkewed", 403, 403, "the clock of this machine differs", fs.ErrPermission},
		{"InvalidAccessKeyId", 403, 403, "does not know the access key", fs.ErrPermission},
		{"XAdminUserNotFound", 404, 404, "does not know the access key", fs.ErrPermission},
		{"AccessDenied", 403, 403, "the bucket may not be read with these credentials", fs.ErrPermission},
		{"AccessDenied", 0, 403, "it is no object, and the bucket may not be listed", fs.ErrNotExist},
		{"AccessDenied", 403, 0, "the bucket may not be read with these credentials", fs.ErrPermission},
		{"", 400, 0, "the server answers 400", nil},
		{"", 0, 0, "there is nothing in the bucket under this name", fs.ErrNotExist},
	} {
		s := buckettest.New(map[string]string{"b/x": ""})
		s.Instead = func(w http.ResponseWriter, r *http.Request) bool {
			status := test.status
			if r.Method == http.MethodGet {
				status = test.list
			}
			if status == 0 {
				return false
			}
			w.WriteHeader(status)
			fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", test.code)
			return true
		}
		_, err := open(t, s, bucket.Config{}).Stat(t.Context(), "a")
		if err == nil || !strings.Contains(err.Error(), test.want) || test.kind != nil && !errors.Is(err, test.kind) {
			t.Errorf("%+v: %v", test, err)
		}
		s.Close()
	}
}

// TestNobodyIsThere has a port without a server, and names that are not valid for buckets.
func TestNobodyIsThere(t *testing.T) {
	s := buckettest.New(nil)
	s.Close()
	err := open(t, s, bucket.Config{}).List(t.Context(), "", func([]remote.Object) {})
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("said %v", err)
	}
	for _, name := range []string{"", "AKIA:secret@runs", "a", "../x", "runs?x"} {
		if _, err := bucket.Open(name, bucket.Config{Endpoint: s.URL}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestListsComeInPages: List passes on the pages as they arrive, without the objects for folders.
func TestListsComeInPages(t *testing.T) {
	objects := map[string]string{"p/": ""}
	for i := range 2500 {
		objects[fmt.Sprintf("p/%04d.jsonl", i)] = "x"
	}
	s := buckettest.New(objects)
	defer s.Close()
	var pages []int
	if err := open(t, s, bucket.Config{}).List(t.Context(), "p/", func(page []remote.Object) { pages = append(pages, len(page)) }); err != nil {
		t.Fatal(err)
	}
	requests, _ := s.Seen()
	if fmt.Sprint(pages) != "[999 1000 501]" || len(requests) != 3 {
		t.Errorf("pages %v, %d requests", pages, len(requests))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := open(t, s, bucket.Config{}).List(ctx, "p/", func([]remote.Object) { stop() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a list that was ended says %v", err)
	}
}

// TestAnybodyMayAsk reads public objects without keys.
func TestAnybodyMayAsk(t *testing.T) {
	s := buckettest.New(map[string]string{"a": "hello", "d/x": ""})
	defer s.Close()
	s.Open = true
	s.Instead = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "" {
			t.Error("it was signed")
		}
		return false
	}
	c := bucket.Of("gs", func(name string) string { return map[string]string{"GS_ENDPOINT_URL": s.URL}[name] }, t.TempDir())
	store := open(t, s, c)
	for key, want := range map[string]string{"a": "{a 5 false}", "d": "{d/ 0 true}", "": "{ 0 true}", "none": "{ 0 false}"} {
		o, err := store.Stat(t.Context(), key)
		if got := fmt.Sprint("{", o.Key, " ", o.Size, " ", o.Folder, "}"); got != want || (key == "none") != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is %s, %v", key, got, err)
		}
	}
	text := make([]byte, 3)
	if err := store.Read(t.Context(), remote.Object{Key: "a", Size: 5}, text, 1); err != nil || string(text) != "ell" {
		t.Errorf("read %q, %v", text, err)
	}
}

// TestALookIsARequest: between two ticks, any number of looks at a followed file cause one request,
// and the look after the tick sees the growth.
func TestALookIsARequest(t *testing.T) {
	s := buckettest.New(map[string]string{"a": "one\n"})
	t.Cleanup(s.Close)
	places := remote.NewPlaces(func(remote.Address) (remote.Store, error) { return open(t, s, bucket.Config{}), nil })
	t.Cleanup(func() { places.Close() })
	system := remote.System(remote.With(t.Context(), places), true)
	f, err := system.OpenFile("s3://runs/a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	look := func(size int64, heads int) {
		t.Helper()
		for range 2 {
			if info, err := system.Stat("s3://runs/a"); err != nil || info.Size() != size {
				t.Errorf("%v, %v", info, err)
			}
			if same, err := f.Refresh(); !same || err != nil || f.Size() != size {
				t.Errorf("%d bytes, the same: %v, %v", f.Size(), same, err)
			}
		}
		requests, _ := s.Seen()
		asked := 0
		for _, r := range requests {
			if strings.HasPrefix(r, http.MethodHead) {
				asked++
			}
		}
		if asked != heads {
			t.Errorf("%d requests, want %d: %q", asked, heads, requests)
		}
	}
	look(4, 1)
	s.Put("a", "one\ntwo\n")
	look(4, 0)
	_, stop := system.Tick(time.Hour)
	stop()
	look(8, 1)
}

// TestLimitsOfAList: keys have up to 4 kB and objects up to 100 TB; the text of an error has 200
// characters of the server's.
func TestLimitsOfAList(t *testing.T) {
	list := func(key string, size int64) string {
		return fmt.Sprintf(`<ListBucketResult><Contents><Key>%s</Key><Size>%d</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents></ListBucketResult>`, key, size)
	}
	failure := func(n int) string {
		return `<Error><Code>Odd</Code><Message>` + strings.Repeat("x", n) + `</Message></Error>`
	}
	for _, test := range []struct {
		status int
		body   string
		want   string
	}{
		{200, list(strings.Repeat("k", 4096), 1), "<nil>"},
		{200, list(strings.Repeat("k", 4097), 1), "the server's list has a key or a size that no object has"},
		{200, list("k", 100<<40), "<nil>"},
		{200, list("k", 100<<40+1), "the server's list has a key or a size that no object has"},
		{400, failure(200), "the server answers 400: " + strings.Repeat("x", 200)},
		{400, failure(201), "the server answers 400: " + strings.Repeat("x", 200)},
	} {
		s := buckettest.New(nil)
		s.Instead = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(test.status)
			fmt.Fprint(w, test.body)
			return true
		}
		err := open(t, s, bucket.Config{}).List(t.Context(), "", func([]remote.Object) {})
		if got := fmt.Sprint(err); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
		s.Close()
	}
}
