// Package bucket reads the objects of buckets: those of S3, Google Cloud Storage and all
// S3-compatible servers. It only requests objects and lists of them, and never writes.
package bucket

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"turns/model"
	"turns/model/source/remote"
)

// Store is one bucket.
type Store struct {
	core    minio.Core
	name    string
	from    string // the server
	patient time.Duration
	close   func()
}

// maxAnswer limits the size of a server's list or error: a list of a thousand keys of the longest
// names is smaller.
const maxAnswer = 8 << 20

// bucketName matches valid bucket names. For an address with a key in place of the name, the error
// explains that and does not repeat it.
var bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)

// Open prepares to read a bucket, without any request.
func Open(name string, c Config) (*Store, error) {
	if !bucketName.MatchString(name) {
		return nil, errors.New("it does not name a bucket; an address is s3://BUCKET/PREFIX, and keys are taken from the environment or the usual files")
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the endpoint is no address of a server as https://host:port")
	}
	patient := cmp.Or(c.Patient, time.Minute)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: patient / 4}).DialContext
	transport.ResponseHeaderTimeout = patient / 2
	transport.MaxIdleConnsPerHost = 32
	transport.DisableCompression = true
	lookup := minio.BucketLookupPath
	if c.ByHost {
		lookup = minio.BucketLookupAuto
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: c.Credentials, Secure: u.Scheme == "https", Region: c.Region, BucketLookup: lookup,
		Transport: bounded{transport}, MaxRetries: cmp.Or(c.Tries, 3),
	})
	if err != nil {
		return nil, err
	}
	return &Store{minio.Core{Client: client}, name, u.Scheme + "://" + u.Host, patient, transport.CloseIdleConnections}, nil
}

// bounded sends only reading requests, and limits the answers that are held in memory to the size
// of a list.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, fmt.Errorf("a request that is no question (%s) is not sent", r.Method)
	}
	answer, err := b.RoundTripper.RoundTrip(r)
	if err != nil || r.Header.Get("Range") != "" {
		return answer, err
	}
	body := &limited{bufio.NewReader(io.LimitReader(answer.Body, maxAnswer+1)), answer.Body, maxAnswer}
	if r.URL.Query().Has("list-type") && answer.StatusCode == http.StatusOK {
		// A login page may be XML also, and would look like an empty list.
		if begin, _ := body.begun.Peek(1 << 10); !bytes.Contains(begin, []byte("<ListBucketResult")) {
			answer.Body.Close()
			return nil, errNoList
		}
	}
	answer.Body = &shallow{ReadCloser: body}
	return answer, nil
}

// The limits of an XML answer: a list of a thousand objects has about twelve elements for each.
const maxElements, maxDepth = 40_000, 32

// shallow is an XML answer that fails at too many or too deeply nested elements, because each costs
// memory when it is decoded.
type shallow struct {
	io.ReadCloser
	elements, depth int
	last            byte
}

var errDeep = errors.New("the server's answer has too many elements to be a list")

func (s *shallow) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	for _, c := range p[:n] {
		switch {
		case s.last == '<' && c == '/':
			s.depth--
		case s.last == '<' && c != '!' && c != '?':
			s.elements++
			s.depth++
		case s.last == '/' && c == '>':
			s.depth--
		}
		s.last = c
	}
	if s.elements > maxElements || s.depth > maxDepth {
		return 0, errDeep
	}
	return n, err
}

// limited is a body that may not exceed the size of a list.
type limited struct {
	begun *bufio.Reader
	io.Closer
	left int64
}

var errNoList = errors.New("the server's answer is not one of a bucket")

var errLong = fmt.Errorf("the server's answer is longer than %s", model.SizeOf(maxAnswer))

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.begun.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errLong
	}
	return n, err
}

// Close closes the unused connections.
func (s *Store) Close() error {
	s.close()
	return nil
}

// Stat describes an object or a folder: a folder is the part of a key before a "/". A name without
// an extension is likely a folder, so Stat requests both in parallel.
func (s *Store) Stat(ctx context.Context, key string) (remote.Object, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if key == "" || strings.HasSuffix(key, "/") {
		there, err := s.anyBelow(ctx, key)
		return folder(key, there, nil, err)
	}
	below := sync.OnceValues(func() (bool, error) { return s.anyBelow(ctx, key+"/") })
	if path.Ext(key) == "" {
		go below()
	}
	short, stop := context.WithTimeout(ctx, s.patient)
	defer stop()
	o, err := s.core.StatObject(short, s.name, key, minio.StatObjectOptions{})
	switch {
	case err == nil && o.Size > maxObject:
		return remote.Object{}, errors.New("the server says a size that no object has")
	case err == nil:
		return s.object(o, key), nil
	case ctx.Err() != nil:
		return remote.Object{}, ctx.Err()
	}
	// The answer has no text with the reason, and servers may report a missing object as forbidden.
	// The answer to a list is more precise.
	missing := s.asError(err)
	if minio.ToErrorResponse(err).StatusCode/100 != 4 {
		return remote.Object{}, missing
	}
	there, err := below()
	return folder(key+"/", there, missing, err)
}

// anyBelow reports whether any object's key begins with a prefix.
func (s *Store) anyBelow(ctx context.Context, prefix string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patient)
	defer cancel()
	for o := range s.core.ListObjectsIter(ctx, s.name, s.listing(prefix, 1)) {
		if o.Err != nil {
			return false, s.asError(o.Err)
		}
		return true, nil
	}
	return false, nil
}

// folder describes the folder for a prefix: there and err are from its listing. missing is the
// error for the object with that name, nil if none was requested.
func folder(key string, there bool, missing, err error) (remote.Object, error) {
	switch {
	case err != nil:
		return remote.Object{}, unlisted(missing, err)
	case key == "", there && (missing == nil || errors.Is(missing, fs.ErrNotExist) || errors.Is(missing, fs.ErrPermission)):
		// an empty bucket also exists
		return remote.Object{Key: key, Folder: true}, nil
	}
	return remote.Object{}, cmp.Or(missing, error(refusal{"there is nothing in the bucket under this name", fs.ErrNotExist}))
}

func (s *Store) listing(prefix string, most int) minio.ListObjectsOptions {
	owner := false
	return minio.ListObjectsOptions{Prefix: prefix, Recursive: true, MaxKeys: most, FetchOwner: &owner}
}

// For speed only: so many objects of a list are handed over at a time.
const pageSize = 1000

// The limits for keys and sizes of objects, above the vendors' limits.
const maxKey, maxObject = 4 << 10, 100 << 40

// List lists the objects whose keys start with prefix. It ends if a server repeats keys, which
// would otherwise never end.
func (s *Store) List(ctx context.Context, prefix string, page func([]remote.Object)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// restarts at each page
	patience := time.AfterFunc(s.patient, func() { cancel(context.DeadlineExceeded) })
	defer patience.Stop()
	var some []remote.Object
	last, seen := "", 0
	for o := range s.core.ListObjectsIter(ctx, s.name, s.listing(prefix, pageSize)) {
		switch {
		case o.Err != nil:
			page(some)
			if why := context.Cause(ctx); why != nil {
				return s.asError(why)
			}
			return s.asError(o.Err)
		case len(o.Key) > maxKey || o.Size > maxObject:
			page(some)
			return errors.New("the server's list has a key or a size that no object has")
		case o.Key <= last || !strings.HasPrefix(o.Key, prefix) || o.Size < 0:
			page(some)
			return errors.New("the server's list does not go on in the order of its keys")
		}
		last = o.Key
		if !strings.HasSuffix(o.Key, "/") { // a key with a final "/" is a folder
			some = append(some, s.object(o, o.Key))
		}
		if seen++; seen%pageSize == 0 {
			page(some)
			some = nil
			patience.Reset(s.patient)
		}
	}
	page(some)
	if why := context.Cause(ctx); why != nil { // a cancelled list ends without an error
		return s.asError(why)
	}
	return nil
}

func (s *Store) object(o minio.ObjectInfo, key string) remote.Object {
	return remote.Object{Key: key, Size: o.Size, Written: o.LastModified, Tag: o.ETag, From: s.from}
}

// Read fills p from off on, if the object has not changed since o.
func (s *Store) Read(ctx context.Context, o remote.Object, p []byte, off int64) error {
	if len(p) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.patient)
	defer cancel()
	var opts minio.GetObjectOptions
	end := off + int64(len(p)) - 1
	if err := opts.SetRange(off, end); err != nil {
		return err
	}
	if o.Tag != "" {
		if err := opts.SetMatchETag(o.Tag); err != nil {
			return err
		}
	}
	body, got, header, err := s.core.GetObject(ctx, s.name, o.Key, opts)
	if err != nil {
		return s.asError(err)
	}
	defer body.Close()
	switch contentRange := header.Get("Content-Range"); {
	case o.Tag != "" && got.ETag != "" && got.ETag != o.Tag:
		return remote.ErrChanged
	case contentRange == "" && off == 0 && int64(len(p)) == o.Size: // the whole object was requested
	case !strings.HasPrefix(contentRange, fmt.Sprintf("bytes %d-%d/", off, end)):
		return errors.New("the server does not give the range of bytes that it was asked for")
	}
	if n, err := io.ReadFull(body, p); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("the server's answer breaks off after %d of %d bytes: %w", n, len(p), io.ErrUnexpectedEOF)
		}
		return s.asError(err)
	}
	return nil
}
