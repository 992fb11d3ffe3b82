package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/model/source/spool"
)

// maxPages limits the pages of one history.
const maxPages = 10_000

// peekSize limits the bytes read to recognise a page.
const peekSize = 4 << 10

// pager reads the answer of an address. If it is the newest page of a history (an object with
// dialog_id, events and has_more), pager also requests the older ones and returns one document with
// all events, the oldest first. It passes on any other answer as it arrives.
//
// A missing page is an error at the end: readers get the other pages, and the error names the
// missing messages.
type pager struct {
	ctx     context.Context
	cancel  func()
	get     *getter
	address string
	first   *body

	kept pageStore

	begun bool
	rest  io.Reader
}

// Open requests an address and returns the answer. ctx ends the request, life all later reads;
// pages stores pages during the download.
func Open(ctx, life context.Context, address string, opts Options, pages *spool.Spool) (io.ReadCloser, error) {
	g := newGetter(opts)
	life, cancel := context.WithCancel(life)
	stop := context.AfterFunc(ctx, cancel)
	first, err := g.get(life, address)
	if !stop() && err == nil {
		first.Close()
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		g.cancel()
		return nil, err
	}
	return &pager{ctx: life, cancel: cancel, get: g, address: address, first: first, kept: pageStore{spool: pages}}, nil
}

// Close ends all requests.
func (p *pager) Close() error {
	p.cancel()
	p.first.Close()
	p.get.cancel()
	return nil
}

// pageBytes is the maximum size of a page; two are in memory at a time.
const pageBytes = 32 << 20

// pageStore stores the events of the pages in order of arrival, the newest page first.
type pageStore struct {
	spool *spool.Spool
	ends  []int64 // of each page
	err   error
}

func (s *pageStore) add(events [][]byte) {
	for i, v := range events {
		if i > 0 {
			s.write([]byte{','})
		}
		s.write(v)
	}
	s.spool.Commit()
	s.ends = append(s.ends, s.spool.Size())
}

func (s *pageStore) write(b []byte) {
	if _, err := s.spool.Write(b); err != nil && s.err == nil {
		s.err = err
	}
}

// Read reads the answer; the first call decides whether it is a page.
func (p *pager) Read(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.rest = p.open()
	}
	return p.rest.Read(b)
}

// open returns the reader of the content.
func (p *pager) open() io.Reader {
	head, err := p.peek()
	if err == nil && len(head) == 0 && p.first.kind == "application/json" {
		err = fmt.Errorf("get %q: %w", p.first.name, &answerError{Msg: "the answer is empty, which is no JSON", Advice: "the server's own log may say why"})
	}
	if err != nil || !p.paged(head) {
		return io.MultiReader(bytes.NewReader(head), failing{p.first, err})
	}
	data, err := readPage(p.first, head, min(pageBytes, p.get.limits.Record))
	newest, ok := parsePage(data)
	if err != nil || !ok || !newest.more {
		return io.MultiReader(bytes.NewReader(data), failing{p.first, err})
	}
	oldest, err := p.older(newest, &p.kept)
	if err == nil {
		err = p.kept.err
	}
	return io.MultiReader(compose(newest, oldest, &p.kept), failing{bytes.NewReader(nil), err})
}

// tellingBytes is how much of an object is enough to recognise a page: its first keys.
const tellingBytes = 256

// peek reads until the answer shows whether it may be a page. It does not wait for more than a
// stream of lines may have.
func (p *pager) peek() (head []byte, err error) {
	switch p.first.kind {
	case "application/x-ndjson", "application/jsonl", "text/event-stream":
		return nil, nil
	}
	buf := make([]byte, peekSize)
	for n := 0; n < len(buf); {
		k, err := p.first.Read(buf[n:])
		n += k
		head = buf[:n]
		if err != nil && err != io.EOF {
			return head, err
		}
		text := bytes.TrimSpace(head)
		known := len(text) > 0 && (text[0] != '{' || len(text) >= tellingBytes || p.paged(head))
		if known || err != nil || bytes.Contains(head, []byte("}\n")) {
			return head, nil
		}
	}
	return head, nil
}

// paged reports whether an answer that begins with head may be a page of a history.
func (p *pager) paged(head []byte) bool {
	text := bytes.TrimSpace(head)
	return len(text) > 0 && text[0] == '{' && (p.named() || bytes.Contains(text, []byte(`"dialog_id"`)))
}

// named reports whether the address is that of a history.
func (p *pager) named() bool {
	u, err := url.Parse(p.address)
	return err == nil && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/history")
}

func readPage(r io.Reader, head []byte, limit int64) ([]byte, error) {
	buf := bytes.NewBuffer(slices.Clone(head))
	_, err := io.Copy(buf, io.LimitReader(r, limit-int64(len(head))))
	return buf.Bytes(), err
}

// failing returns err, or if it is nil, reads r.
type failing struct {
	r   io.Reader
	err error
}

func (f failing) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.r.Read(p)
}

// page is a part of a history.
type page struct {
	data   []byte // the entire answer
	dialog []byte
	events [][]byte
	more   bool // there is an older page
	first  int64
	cursor bool // first is known
}

// pageEvents limits the events of a page.
const pageEvents = 1 << 20

func parsePage(data []byte) (*page, bool) {
	p := &page{data: data}
	listed := false
	c := jsonspan.New(data)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "dialog_id":
			p.dialog = c.Skip()
		case "events":
			if c.Kind() != jsonspan.Array {
				return p, false
			}
			listed = true
			for c.Array(); c.More(); {
				if len(p.events) >= pageEvents {
					return p, false
				}
				p.events = append(p.events, c.Skip())
			}
		case "has_more":
			p.more = c.Bool()
		case "first_idx":
			p.first, p.cursor = jsonspan.ParseInt(c.Skip())
		default:
			c.Skip()
		}
	}
	return p, c.Err == nil && c.Done() && listed && p.dialog != nil
}

// older requests the pages before the newest one, as far as possible, and returns the oldest of
// them. All pages together have the limits of one answer.
func (p *pager) older(newest *page, kept *pageStore) (at *page, err error) {
	limits := p.get.limits
	bytesLeft, eventsLeft := limits.Response-int64(len(newest.data)), limits.Records-int64(len(newest.events))
	kept.add(newest.events)
	for at = newest; at.more && kept.err == nil; {
		switch {
		case !at.cursor:
			return at, p.missing(at, errors.New("the server says that there is more, and not before what (first_idx)"))
		case len(kept.ends) >= maxPages:
			return at, p.missing(at, fmt.Errorf("more than %d pages", maxPages))
		case bytesLeft <= 0:
			return at, p.missing(at, limits.Beyond("response", "the pages together are too large"))
		case eventsLeft <= 0:
			return at, p.missing(at, limits.Beyond("records", "the pages have too many events"))
		}
		next, err := p.before(at.first, bytesLeft)
		if err != nil {
			return at, p.missing(at, err)
		}
		bytesLeft -= int64(len(next.data))
		eventsLeft -= int64(len(next.events))
		switch {
		case !bytes.Equal(next.dialog, newest.dialog):
			return at, p.missing(at, fmt.Errorf("the server answered with the dialog %s instead of %s", model.Clean(string(next.dialog)), model.Clean(string(newest.dialog))))
		case next.more && next.cursor && next.first >= at.first:
			return at, p.missing(at, fmt.Errorf("asked for what is before message %d, the server answered with %d and says there is more", at.first, next.first))
		}
		next.events = next.events[:len(next.events)-overlap(next.events, at.events)]
		kept.add(next.events)
		at = next
	}
	return at, nil
}

// missing explains the consequence of a missing page.
func (p *pager) missing(at *page, err error) error {
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	if at.cursor {
		return fmt.Errorf("the messages before %d are missing: %w", at.first, err)
	}
	return fmt.Errorf("older messages are missing: %w", err)
}

// before requests the page that ends before a message. It keeps the rest of the address, because
// the numbers of messages depend on the page size.
func (p *pager) before(idx, limit int64) (*page, error) {
	u, err := url.Parse(p.address)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("before", strconv.FormatInt(idx, 10))
	u.RawQuery = q.Encode()
	body, err := p.get.get(p.ctx, u.String())
	if err != nil {
		return nil, err
	}
	defer body.Close()
	body.left = min(limit, pageBytes, p.get.limits.Record)
	body.over = fmt.Errorf("the page is larger than the limit of %s", model.SizeOf(body.left))
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	next, ok := parsePage(data)
	if !ok {
		return nil, fmt.Errorf("get %q: the answer is not a page of a history", Shown(u.String()))
	}
	return next, nil
}

// overlap returns how many events at the end of the older page are also the start of the newer one.
// They must be equal to the byte, with a message and its number: numbers do repeat, since a stored
// system message shifts them. It searches for the longest run like Knuth, Morris and Pratt: a
// server may repeat one event a million times.
func overlap(older, newer [][]byte) int {
	n := min(len(older), len(newer))
	older, newer = older[len(older)-n:], newer[:n]
	next := borders(newer)
	run := 0
	for _, v := range older {
		for run > 0 && (run == n || !bytes.Equal(v, newer[run])) {
			run = next[run-1]
		}
		if run < n && bytes.Equal(v, newer[run]) {
			run++
		}
	}
	for _, v := range newer[:run] { // a shorter run has a number only if this one has
		if jsonspan.KindOf(jsonspan.Get(v, "idx")) == jsonspan.Number {
			return run
		}
	}
	return 0
}

// borders returns for each prefix of a list the length of its longest proper prefix that is also
// its suffix.
func borders(list [][]byte) []int {
	next := make([]int, len(list))
	run := 0
	for i := 1; i < len(list); i++ {
		for run > 0 && !bytes.Equal(list[i], list[run]) {
			run = next[run-1]
		}
		if bytes.Equal(list[i], list[run]) {
			run++
		}
		next[i] = run
	}
	return next
}

// compose returns one document of all pages: the newest page's fields of the dialog, and the events
// from the oldest on.
func compose(newest, oldest *page, kept *pageStore) io.Reader {
	var head bytes.Buffer
	head.WriteByte('{')
	c := jsonspan.New(newest.data)
	for c.Object(); c.Key(); {
		name := string(c.Name)
		v := c.Skip()
		switch name {
		case "events":
			continue
		case "has_more":
			v = strconv.AppendBool(nil, oldest.more)
		case "first_idx":
			if oldest.cursor {
				v = strconv.AppendInt(nil, oldest.first, 10)
			}
		}
		fmt.Fprintf(&head, "\"%s\":%s,", name, v)
	}
	head.WriteString(`"events":[`)
	parts := []io.Reader{&head}
	begun := false
	for i, end := range slices.Backward(kept.ends) {
		from := int64(0)
		if i > 0 {
			from = kept.ends[i-1]
		}
		if from == end {
			continue
		}
		if begun {
			parts = append(parts, strings.NewReader(","))
		}
		begun = true
		parts = append(parts, io.NewSectionReader(kept.spool, from, end-from))
	}
	return io.MultiReader(append(parts, strings.NewReader("]}"))...)
}
