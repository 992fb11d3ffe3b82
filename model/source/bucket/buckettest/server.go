// Package buckettest is a bucket server for tests. It implements the read requests of S3, and
// counts them.
package buckettest

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The keys that the server knows.
const (
	Key    = "AKIDTEST"
	Secret = "secret-of-the-test"
	Token  = "token-of-the-test"
)

// Server has one bucket, "runs".
type Server struct {
	*httptest.Server
	Latency time.Duration // before each answer, as a network has it
	Page    int           // keys of a list; 0: as many as requested
	Open    bool          // requests need no signature
	// Instead may answer a request itself; it returns true if it did.
	Instead func(http.ResponseWriter, *http.Request) bool

	mu      sync.Mutex
	objects map[string]object
	seen    []string // method and key of each request
	bytes   int64    // of objects that were sent
}

// New starts a server with the objects of a bucket.
func New(objects map[string]string) *Server {
	s := &Server{objects: map[string]object{}}
	for key, text := range objects {
		s.Put(key, text)
	}
	s.Server = httptest.NewServer(s)
	return s
}

// Put writes an object, and replaces one with the same key.
func (s *Server) Put(key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := md5.Sum([]byte(text))
	s.objects[key] = object{text, `"` + hex.EncodeToString(sum[:]) + `"`}
}

type object struct{ text, tag string }

// Seen returns the requests since its last call, and the number of sent bytes of objects.
func (s *Server) Seen() (requests []string, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, bytes = s.seen, s.bytes
	s.seen, s.bytes = nil, 0
	return requests, bytes
}

// Written is the modification time of all objects.
var Written = time.Date(2026, 2, 11, 10, 0, 0, 0, time.UTC)

// ServeHTTP answers like S3 with the bucket in the path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Latency > 0 {
		time.Sleep(s.Latency)
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	s.seen = append(s.seen, r.Method+" "+key)
	s.mu.Unlock()
	switch signed := r.Header.Get("Authorization"); {
	case s.Instead != nil && s.Instead(w, r):
	case !s.Open && !strings.HasPrefix(signed, "AWS4-HMAC-SHA256 Credential="+Key+"/"):
		refuse(w, http.StatusForbidden, "AccessDenied")
	case bucket != "runs":
		refuse(w, http.StatusNotFound, "NoSuchBucket")
	case key == "":
		s.list(w, r.URL.Query())
	default:
		s.object(w, r, key)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>said by the server</Message></Error>", code)
}

type content struct {
	Key, LastModified, ETag string
	Size                    int
}

type result struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	EncodingType          string
	IsTruncated           bool
	NextContinuationToken string
	Contents              []content
}

func (s *Server) list(w http.ResponseWriter, q url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most, _ := strconv.Atoi(q.Get("max-keys"))
	if s.Page > 0 {
		most = min(most, s.Page)
	}
	out := result{EncodingType: "url"}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, q.Get("prefix")) || key <= q.Get("continuation-token") {
			continue
		}
		if len(out.Contents) == most {
			out.IsTruncated = true
			break
		}
		out.NextContinuationToken = key
		o := s.objects[key]
		out.Contents = append(out.Contents, content{url.QueryEscape(key), Written.Format(time.RFC3339), o.tag, len(o.text)})
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(out) // the client may be gone
}

func (s *Server) object(w http.ResponseWriter, r *http.Request, key string) {
	s.mu.Lock()
	o, ok := s.objects[key]
	s.mu.Unlock()
	if !ok {
		refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", o.tag)
	http.ServeContent(counted{w, s}, r, "", Written, strings.NewReader(o.text))
}

// counted counts the bytes of objects.
type counted struct {
	http.ResponseWriter
	s *Server
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.s.mu.Lock()
	c.s.bytes += int64(n)
	c.s.mu.Unlock()
	return n, err
}
