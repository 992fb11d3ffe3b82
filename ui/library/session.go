package library

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/token"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/label"
	"turns/query/lang"
	"turns/ui/transcripts"
)

// Options select the format and the part to open. The zero value detects everything.
type Options struct {
	Format   string // name of the format, as turns formats lists it; "" detects it
	Encoding string // of counted tokens: o200k, cl100k, p50k or r50k; "": that of the model
	Labels   string // path of a label file; "" reads no labels
	Number   *int   // the conversation in a file with several; nil: all
}

// Session is a session, or some messages of one. It is safe for concurrent use. The sessions
// returned by Filter, Slice and similar methods share its data, and end with its Close.
type Session struct {
	view     describe.View
	all      query.Selection
	conv     *load.Conversation // nil: the messages are in memory
	labels   *label.Here        // nil: no labels were read
	encoding token.Encoding
}

// Open reads a transcript: a file, a folder that is one transcript, or a URL. Texts stay in the
// file until needed, so close the session when you are done. FILE#N opens conversation N of a file
// with several. Open accepts a transcript with damaged records; Stats counts them.
func Open(path string, o ...Options) (*Session, error) {
	options := cmp.Or(o...)
	file, number := transcripts.PartOf(path)
	if number != nil {
		options.Number = number
	}
	return open(file, load.Options{}, options)
}

// Read reads a transcript from r to its end.
func Read(r io.Reader, o ...Options) (*Session, error) {
	return open("-", load.Options{Stdin: r}, cmp.Or(o...))
}

func open(path string, how load.Options, o Options) (*Session, error) {
	ctx := context.Background()
	how.Format, how.Session = o.Format, o.Number
	c, err := load.Open(ctx, path, how)
	if err != nil {
		return nil, err
	}
	s, err := read(ctx, c, path, o)
	if err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

func read(ctx context.Context, c *load.Conversation, path string, o Options) (*Session, error) {
	snap, err := c.Load(ctx)
	if err != nil {
		return nil, err
	}
	s := sessionOf(snap)
	s.conv = c
	if o.Encoding != "" {
		if s.encoding, err = token.ParseEncoding(o.Encoding); err != nil {
			return nil, err
		}
	}
	if o.Labels != "" {
		labels := transcripts.Labels{Path: o.Labels}
		if s.labels, err = labels.Find(ctx, snap, path); err != nil {
			return nil, fmt.Errorf("reading the labels in %q: %w", o.Labels, err)
		}
	}
	return s, nil
}

// FromMessages returns a session of messages in memory. Each only needs Role and Blocks.
func FromMessages(messages ...model.Message) *Session { return sessionOf(model.FromMessages(messages)) }

func sessionOf(snap *model.Snapshot) *Session {
	sel := query.Everything(snap)
	name := ""
	if sessions := snap.Sessions(); len(sessions) > 0 {
		name = sessions[0].Field("model")
	}
	return &Session{view: describe.NewView(sel, nil), all: sel, encoding: token.ForModel(name)}
}

// Close releases the file of the session. It does nothing for messages in memory.
func (s *Session) Close() error {
	if s.conv == nil {
		return nil
	}
	return s.conv.Close()
}

// Filter returns the messages that a query matches, in the language of the command line:
// role:tool tool:read_file text:"connection refused" /Error: \d+/. All terms must match. An
// empty query matches every message. The error has the mistake in the query and its column.
func (s *Session) Filter(q string) (*Session, error) {
	f, err := lang.Parse(q)
	if err != nil {
		return nil, err
	}
	res, err := filter.Apply(context.Background(), s.view.Selection, f, filter.Env{Now: time.Now(), Loc: time.Local, Labels: s.labels, Does: describe.Does})
	if err != nil {
		return nil, fmt.Errorf("filtering by %q: %w", q, err)
	}
	return s.seen(describe.NewView(res.Selection(s.all.Snap), &res)), nil
}

// Match is one term of a filter; its values need no quoting.
type Match string

// Role matches messages of any of these roles: system, user, assistant, tool.
func Role(names ...string) Match { return match("role", names) }

// Tool matches the calls of any of these tools and their results; * matches any characters.
func Tool(names ...string) Match { return match("tool", names) }

// Text matches messages that contain one of these texts in any case.
func Text(texts ...string) Match { return match("text", texts) }

func match(key string, values []string) Match {
	quoted := make([]string, len(values))
	for i, v := range values {
		if quoted[i] = v; key == "text" || lang.Quote(v) != v && !strings.Contains(v, "*") {
			quoted[i] = lang.Quote(v)
		}
	}
	return Match(key + ":" + strings.Join(quoted, ","))
}

// Where returns the messages that match all terms.
func (s *Session) Where(terms ...Match) (*Session, error) {
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = string(t)
	}
	return s.Filter(strings.Join(words, " "))
}

// Len returns the number of messages.
func (s *Session) Len() int { return s.view.Len() }

// Slice returns messages from to to-1, as s[from:to] in Python: negative numbers count from the
// end, and numbers out of range are clamped.
func (s *Session) Slice(from, to int) *Session {
	return s.with(s.view.Slice(query.SliceSpec{From: from, To: to, HasFrom: true, HasTo: true}))
}

// First returns the first n messages, or all if there are fewer.
func (s *Session) First(n int) *Session { return s.with(s.view.First(n)) }

// Last returns the last n messages, or all if there are fewer.
func (s *Session) Last(n int) *Session { return s.with(s.view.Last(n)) }

func (s *Session) with(sel query.Selection) *Session {
	v := s.view
	v.Selection = sel
	return s.seen(v)
}

// seen returns another view of the same session.
func (s *Session) seen(v describe.View) *Session {
	return &Session{v, s.all, s.conv, s.labels, s.encoding}
}

// Message returns message i, from 0; negative numbers count from the end.
func (s *Session) Message(i int) (*model.Message, error) {
	n := i
	if n < 0 {
		n += s.Len()
	}
	if n < 0 || n >= s.Len() {
		return nil, fmt.Errorf("no message %d: the session has %d", i, s.Len())
	}
	return s.body(s.view.IDs[n])
}

// Messages yields the messages in order. It stops after the first unreadable one.
func (s *Session) Messages() iter.Seq2[*model.Message, error] {
	return func(yield func(*model.Message, error) bool) {
		for _, id := range s.view.IDs {
			if m, err := s.body(id); !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func (s *Session) body(id model.ID) (*model.Message, error) {
	return s.all.Snap.Body(context.Background(), id)
}

// Tokens counts the tokens of each message: number i belongs to Message(i).
func (s *Session) Tokens() ([]int, error) {
	column, err := query.CountTokens(context.Background(), s.view.Selection, s.counter())
	if err != nil {
		return nil, err
	}
	counts := make([]int, s.Len())
	for i, id := range s.view.IDs {
		n, _ := column.Message(id)
		counts[i] = int(n.Sum())
	}
	return counts, nil
}

func (s *Session) counter() *query.Counter {
	return &query.Counter{New: func() query.TokenCounter { return token.New(s.encoding) }, Encoding: s.encoding.String()}
}

// String returns the session as linear text, as turns export --to text writes it.
func (s *Session) String() string {
	text, err := s.ExportString("text")
	if err != nil {
		return err.Error()
	}
	return text
}
