// Package described reads formats from descriptions: data that names the records of a transcript
// and the paths of role, text, call and result in them. Users write descriptions, the program ships
// some, and package infer makes one for an unknown file; all use this language.
//
//	name  = "acme"
//	match = ["actor", "body"]      # what most records have
//	role  = "actor"
//	text  = "body"
//	time  = "at"
//
//	[[rule]]
//	when = ["kind=tool_start"]
//	as   = "call"
//	tool = "tool"
//	arguments = "params"
//	id   = "run"
//
// A path is keys joined by dots; "[]" means each element of a list or member of
// an object, and "|" separates alternatives. Quote a key with dots:
// attributes."tool.name". "{}" reads a list of pairs of a name and a value as an object:
// attributes{}."tool.name".stringValue. A quoted key with a dot at its end means all keys
// with that beginning, as a tree: in "prompt.0.role" and "prompt.1.role", "prompt."[].role is the
// role of each. A path goes on inside a string if the string is JSON.
// "." is the object itself, which may also be a list, and "@" is its key:
// with at = "[]" and session = "@", each member of {"chat 1": …, "chat 2": …} is a session.
package described

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"turns/model"
	"turns/model/jsonspan"
	"turns/themes/tomlfile"
)

// Format is a format as data, with the fields of its TOML description: the location of its records,
// the evidence that identifies them, and the rules that turn them into messages.
type Format struct {
	Name   string   `toml:"name"`
	Title  string   `toml:"title,omitempty"`
	Source string   `toml:"source,omitempty"` // documentation of its shape
	Where  []string `toml:"where,omitempty"`
	// Match are conditions that at least half of the records meet: "path" is present, "!path" is
	// absent, "path=value|other", or "path=beginning*" for values that begin so.
	Match []string `toml:"match,omitempty"`
	// Any are conditions of which each record also meets at least one: "type=start & id".
	Any []string `toml:"any,omitempty"`
	// Has are conditions that at least one record meets, each separately. They distinguish a log
	// from others of its family if only few of its records can.
	Has   []string `toml:"has,omitempty"`
	Score int      `toml:"score,omitzero"` // certainty of a match, of 100
	// of a document: paths of the lists of records; "[]" is the document itself
	List []string `toml:"list,omitempty"`
	// Each is the kind of each record: "message", or "conversation" if each record is one.
	Each  string `toml:"each,omitempty"`
	Order string `toml:"order,omitempty"`
	// Encoded: requests and responses are recorded as HTTP sent them, as text, base64 or events
	Encoded bool   `toml:"encoded,omitempty"`
	Resume  string `toml:"resume,omitempty"` // the command that continues a session
	// roles of recorded names; "*" matches all others
	Roles map[string]string `toml:"roles,omitempty"`
	// names of token counts: input, output, read, write, reasoning, cost; all is an input that
	// includes the cached tokens
	Counts map[string]string `toml:"counts,omitempty"`
	// of the rest of a document: title = "name"; time; and of, its session
	About map[string]string `toml:"about,omitempty"`
	Drop  []string          `toml:"drop,omitempty"` // fields of records to ignore
	// Columns names the elements of rows recorded as lists: for ["hi", "Hello!"] the columns
	// user and assistant.
	Columns []string `toml:"columns,omitempty"`
	// objects whose fields count as fields of the record
	Inner []string `toml:"inner,omitempty"`
	// Files are the names of the files of a session in a folder, in reading order; all of them must
	// exist. Each of them opens the folder.
	Files []string `toml:"files,omitempty"`
	// files of such a folder that may be missing
	Optional []string `toml:"optional,omitempty"`
	// Copies are further files of such a folder that repeat the others: each opens the folder, and
	// none is read.
	Copies []string `toml:"copies,omitempty"`
	// Starter is the field of a conversation with the id of the session whose subagent it is.
	Starter string `toml:"starter,omitempty"`
	// Verified is the version of the agent up to which the description was checked.
	Verified string `toml:"verified,omitempty"`
	// Queries are the queries for a database, with the tables that they need; each row is a record.
	Queries []Query `toml:"query,omitempty"`
	Marks   []Mark  `toml:"mark,omitempty"`
	Rule            // for records without another rule
	Rules   []Rule  `toml:"rule,omitempty"`
}

// Query is a query for a database. Needs are tables, or table.column; the query is skipped if the
// database has one of the tables in Lacks.
type Query struct {
	Name  string   `toml:"name"`
	SQL   string   `toml:"sql"`
	Needs []string `toml:"needs"`
	Lacks []string `toml:"lacks,omitempty"`
	// columns with protocol buffers, and their fields: "5:metadata{1:created@} 7:calls[]{1:id}"
	Wire map[string]string `toml:"wire,omitempty"`
	// Brief: the rows name the conversations, without their messages. A list runs only such queries
	// on a large database.
	Brief bool `toml:"brief,omitempty"`
}

// Mark is a property of some records, in addition to their rule.
type Mark struct {
	When  []string `toml:"when"`
	Flags []string `toml:"flags"` // injected, hidden, partial, sidechain …
}

// Rule is the kind of the objects at one place, and the paths of their parts.
type Rule struct {
	At   string   `toml:"at,omitempty"` // paths of the objects: "a|b"; "" is the record
	When []string `toml:"when,omitempty"`
	// As is "message", "exchange" (the request to a model and its reply; of lists of both, each
	// with its own), "dialogue" (a text with several speakers: "User: …"), "text", "reasoning",
	// "call", "result", "note", "about" (the conversation), "compact" (the text replaces the
	// messages before it), "meter" (the usage of the conversation so far), "retract" (removes
	// the messages that its keys name), "end" (of the session), "span" (of a tool, or a request
	// with only usage; ignored if messages contain the same), "block" (a part of a message in the
	// form of any provider or, with a result, a result, also in a user's message), "group" (only
	// its contents count) or "skip".
	As        string `toml:"as,omitempty"`
	Role      string `toml:"role,omitempty"` // a path, or "=user"
	Text      string `toml:"text,omitempty"` // for a note "=" is none; default: all of the record
	Reasoning string `toml:"reasoning,omitempty"`
	Request   string `toml:"request,omitempty"` // messages in the form of any provider
	Reply     string `toml:"reply,omitempty"`
	Tool      string `toml:"tool,omitempty"` // its name
	Arguments string `toml:"arguments,omitempty"`
	Result    string `toml:"result,omitempty"`
	ID        string `toml:"id,omitempty"`    // of the call
	Error     string `toml:"error,omitempty"` // true, a status, an exit code or a message; or "=running"
	Time      string `toml:"time,omitempty"`  // "=" is none; default: that of the object around it
	End       string `toml:"end,omitempty"`   // of a span: its end time
	Model     string `toml:"model,omitempty"`
	Usage     string `toml:"usage,omitempty"`
	Key       string `toml:"key,omitempty"` // of the message
	Parent    string `toml:"parent,omitempty"`
	Session   string `toml:"session,omitempty"`
	Status    string `toml:"status,omitempty"` // active, compacted, rewound …
	Name      string `toml:"kind,omitempty"`   // of a note and of a field of a conversation
	Stop      string `toml:"stop,omitempty"`   // why the model stopped
	// parents use this name instead of the key
	Record string `toml:"record,omitempty"`
	Target string `toml:"target,omitempty"` // subject of a note
	// its text continues the one before it, as in streams
	Joins bool `toml:"joins,omitempty"`
	// it is part of a response, and the records do not mark the start of a response
	Aside bool `toml:"aside,omitempty"`
	// of a result: one for an answered call continues the result of the call, as in a replay;
	// otherwise it is another result
	Again bool `toml:"again,omitempty"`
	// its contents precede it
	Last     bool `toml:"last,omitempty"`
	Replaces bool `toml:"replaces,omitempty"` // it is the complete message with its key
	// Keep renames extra fields: session = "id", title = "info.name".
	Keep map[string]string `toml:"keep,omitempty"`
}

// Kit has the shared functions of formats that the parser of a description uses.
type Kit struct {
	Moment func(v []byte) model.Moment
	Usage  func(v []byte) model.Usage
	Counts func(names map[string]string) func(v []byte) model.Usage
	Keep   func(f *model.Fact, name, v []byte)
	Stop   func(f *model.Fact, reason []byte)
	Split  func(fs *model.Facts) // splits a user's message
	// Speak adds messages in the form of any provider, and Know sets the key of a message, to
	// recognise repetitions.
	Speak   func(fs *model.Facts, v []byte, role model.Role)
	Know    func(f *model.Fact, session model.Key, n int)
	Content func(f *model.Fact, v []byte)
	Result  func(f *model.Fact, id, name model.Text, content []byte, o model.Outcome)
	Outcome func(status []byte) (model.Outcome, bool)
	// Dialogue returns the messages of a text with named speakers, as JSON; nil for other
	// texts.
	Dialogue func(text []byte) [][]byte
}

// Error is a mistake in a description, with its place.
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

// Error returns the message with its place.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// The limits of a description: each record is tried with all rules and alternatives.
const (
	mostText         = 256 << 10
	mostRules        = 200
	mostAlternatives = 2000
)

// Read reads a description from TOML. A too large description is an error.
func Read(file string, text []byte) (*Format, error) {
	var f Format
	if len(text) > mostText {
		return nil, &Error{file, 1, 1, fmt.Sprintf("a description may have %d bytes, this one has %d", mostText, len(text))}
	}
	if n := bytes.Count(text, []byte("|")); n > mostAlternatives {
		return nil, &Error{file, 1, 1, fmt.Sprintf("a description may have %d alternatives, this one has %d", mostAlternatives, n)}
	}
	meta, err := tomlfile.Decode(string(text), &f)
	if err != nil {
		at, msg := tomlfile.Syntax(string(text), err)
		return nil, &Error{file, max(1, at.Line), max(1, at.Col), msg}
	}
	if left := meta.Undecoded(); len(left) > 0 {
		key := left[0][len(left[0])-1]
		return nil, place(file, text, key, fmt.Sprintf("there is no field %q in a format", left[0].String()))
	}
	if len(f.Rules) > mostRules {
		return nil, &Error{file, 1, 1, fmt.Sprintf("a description may have %d rules, this one has %d", mostRules, len(f.Rules))}
	}
	if f.Name == "" {
		return nil, &Error{file, 1, 1, "the format has no name"}
	}
	if _, err := Compile(&f, Kit{}); err != nil {
		if bad, ok := errors.AsType[*pathError](err); ok {
			return nil, place(file, text, bad.text, bad.msg)
		}
		return nil, fmt.Errorf("reading format %q: %w", file, err)
	}
	return &f, nil
}

// place returns an error at the position of what in the text.
func place(file string, text []byte, what, msg string) error {
	at := max(0, bytes.Index(text, []byte(what)))
	line := bytes.Count(text[:at], []byte("\n"))
	return &Error{file, line + 1, at - bytes.LastIndexByte(text[:at], '\n'), msg}
}

// Write writes a description as TOML.
func (f *Format) Write() ([]byte, error) {
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	enc.Indent = ""
	err := enc.Encode(f)
	return b.Bytes(), err
}

// pathError is an error in a path, a condition or a word of a description.
type pathError struct{ text, msg string }

func (e *pathError) Error() string { return e.msg }

// Compile turns a description into a format. The Kit may be empty if the description is only
// checked.
func Compile(d *Format, kit Kit) (*model.Format, error) {
	p, err := compile(d, kit)
	if err != nil {
		return nil, err
	}
	return p.format(), nil
}

// format returns a format that uses the parser.
func (p *parser) format() *model.Format {
	d := p.desc
	f := &model.Format{Name: d.Name, Title: d.Title, Where: d.Where, Resume: d.Resume, Detect: p.detect, Parse: p.parse, Deltas: p.joins, Encoded: d.Encoded}
	f.Title = cmp.Or(f.Title, d.Name)
	if len(d.List) > 0 {
		f.Lists = func(m model.Match) []string {
			if m.Variant == variantLines {
				return nil
			}
			return d.List
		}
	}
	if len(d.Queries) > 0 {
		f.Unroll = &model.Unroll{}
		for _, q := range d.Queries {
			query := model.Query{Name: q.Name, SQL: q.SQL, Needs: q.Needs, Lacks: q.Lacks, Wire: q.Wire}
			f.Unroll.Queries = append(f.Unroll.Queries, query)
			if q.Brief {
				f.Unroll.Brief = append(f.Unroll.Brief, query)
			}
		}
	}
	if len(d.Files) > 0 {
		f.Unroll = &model.Unroll{Together: true, Members: p.members, Copies: d.Copies}
	}
	if d.Starter != "" {
		f.Starter = func(_ string, s *model.Session) string { return s.Field(d.Starter) }
	}
	switch d.Order {
	case "time":
		f.Order = model.ByTime
	case "tree":
		f.Order = model.Tree
	}
	return f
}

// The variants: records from a document, or lines.
const (
	variantDocument = iota
	variantLines
)

// members returns the files of a session's folder, nil if one is missing.
func (p *parser) members(names []string) (chosen []string) {
	for _, file := range p.desc.Files {
		if !slices.Contains(names, file) {
			return nil
		}
		chosen = append(chosen, file)
	}
	for _, file := range p.desc.Optional {
		if slices.Contains(names, file) {
			chosen = append(chosen, file)
		}
	}
	return chosen
}

// detectTables reports whether a database has the needs of one of the queries.
func (p *parser) detectTables(s *model.Sample) model.Match {
	for _, q := range p.desc.Queries {
		if !slices.ContainsFunc(q.Needs, func(need string) bool {
			table, column, _ := strings.Cut(need, ".")
			columns, ok := s.Tables[table]
			return !ok || column != "" && !slices.Contains(columns, column)
		}) {
			return model.Match{Score: p.desc.Score, Reason: "a database with " + strings.Join(q.Needs, ", ")}
		}
	}
	return model.Match{}
}

// detect reports whether most records of a sample meet the conditions.
func (p *parser) detect(s *model.Sample) model.Match {
	switch {
	case s.Shape == model.Database:
		return p.detectTables(s)
	case s.Shape == model.Folder && len(p.desc.Files) > 0 && p.members(s.Names) != nil:
		return model.Match{Score: cmp.Or(p.desc.Score, 90), Reason: "a folder with " + strings.Join(p.desc.Files, ", ")}
	}
	var records [][]byte
	m := model.Match{Score: cmp.Or(p.desc.Score, min(95, 80+5*len(p.match)))}
	switch {
	case s.Shape == model.Lines:
		records, m.Variant = s.Records, variantLines
		if len(records) == 1 && s.Whole && p.desc.List != nil {
			if list := p.elements(records[0]); len(list) > 0 {
				records, m.Variant = list, variantDocument
			}
		}
	case s.Shape == model.Document:
		records = p.elements(s.Doc)
	}
	none := model.Match{Variant: m.Variant}
	if len(p.match)+len(p.any) == 0 || len(records) == 0 {
		return none
	}
	fit, has := 0, len(p.has) == 0
	for i, v := range records {
		if p.fits(v) {
			fit++
		}
		if (i+1-fit)*2 > len(records) {
			return none
		}
		has = has || holdsOne(p.has, v)
	}
	if !has {
		return none
	}
	match := slices.Clone(p.desc.Match)
	var met []string
	for i, set := range p.any {
		if slices.ContainsFunc(records, func(v []byte) bool { return holdsOne([][]condition{set}, v) }) {
			met = append(met, p.desc.Any[i])
		}
	}
	if len(met) > 0 {
		match = append(match, strings.Join(met, " or "))
	}
	m.Reason = fmt.Sprintf("%d of %d records have %s", fit, len(records), strings.Join(match, ", "))
	if len(p.has) > 0 {
		m.Reason += ", and one " + strings.Join(p.desc.Has, " or ")
	}
	return m
}

// maxSampled limits the records of a sample to check.
const maxSampled = 60

// elements returns the first records of a document.
func (p *parser) elements(doc []byte) (list [][]byte) {
	if len(p.desc.List) == 0 {
		return [][]byte{doc}
	}
	for _, l := range p.desc.List {
		if strings.HasPrefix(l, "[]") != (jsonspan.KindOf(doc) == jsonspan.Array) {
			continue
		}
		way := steps(strings.TrimPrefix(l, "[]"))
		each(doc, append(way, ""), func(v []byte) {
			if len(list) < maxSampled {
				list = append(list, v)
			}
		})
	}
	return list
}

func (p *parser) fits(v []byte) bool {
	if len(p.desc.Columns) > 0 && jsonspan.KindOf(v) == jsonspan.Array {
		v = p.desc.rowObject(v)
	}
	return !slices.ContainsFunc(p.match, func(c condition) bool { return !c.holdsIn(v) }) && (len(p.any) == 0 || holdsOne(p.any, v))
}

// holdsOne reports whether all conditions of at least one set are true.
func holdsOne(sets [][]condition, v []byte) bool {
	return slices.ContainsFunc(sets, func(set []condition) bool {
		return !slices.ContainsFunc(set, func(c condition) bool { return !c.holdsIn(v) })
	})
}

// steps returns the keys of a path; "" stands for each element.
func steps(path string) []string {
	var list []string
	for path != "" {
		key, lists := "", 0
		if end := strings.Index(path[1:], `"`) + 1; path[0] == '"' && end > 1 {
			list, path = append(list, path[1:end]), path[end+1:]
		}
		key, path, _ = strings.Cut(path, ".")
		for strings.HasSuffix(key, "[]") {
			key, lists = key[:len(key)-2], lists+1
		}
		key, paired := strings.CutSuffix(key, Pairs)
		if key != "" {
			list = append(list, key)
		}
		if paired {
			list = append(list, Pairs)
		}
		for range lists {
			list = append(list, "")
		}
	}
	return list
}

// Pairs is the step of a path that reads a list of pairs as an object.
const Pairs = "{}"

// Quoted returns a key in the syntax of paths.
func Quoted(key string) string {
	if strings.Contains(key, ".") {
		return `"` + key + `"`
	}
	return key
}

// each yields the values at a path; of a cut value, the available part.
func each(v []byte, path []string, yield func([]byte)) {
	if len(path) == 0 {
		yield(v)
		return
	}
	if v = opened(v); v == nil {
		return
	}
	c := jsonspan.New(v)
	object := c.Kind() == jsonspan.Object
	paired := !object && path[0] == Pairs && len(path) > 1
	if paired {
		path = path[1:]
	}
	if isPrefix(path[0]) {
		if whole := Gather(v, path[0], 0); whole != nil {
			each(whole, path[1:], yield)
		}
		return
	}
	if paired {
		eachPair(&c, path, yield)
		return
	}
	if !object {
		if path[0] != "" {
			return
		}
		for c.Array(); c.More(); {
			if e := rest(&c); len(e) > 0 {
				each(e, path[1:], yield)
			}
		}
		return
	}
	for c.Object(); c.Key(); {
		if path[0] != "" && string(c.Name) != path[0] {
			c.Skip()
			continue
		}
		if e := rest(&c); len(e) > 0 {
			each(e, path[1:], yield)
		}
	}
}

// eachPair yields the values of the pairs whose name is the path's next key.
func eachPair(c *jsonspan.Cursor, path []string, yield func([]byte)) {
	members(c, func(name, v []byte) {
		if string(name) == path[0] {
			each(v, path[1:], yield)
		}
	})
}

// members yields the names and values of an object, or of a list of pairs of both.
func members(c *jsonspan.Cursor, yield func(name, v []byte)) {
	if c.Kind() == jsonspan.Object {
		for c.Object(); c.Key(); {
			name := c.Name
			yield(name, rest(c))
		}
		return
	}
	for c.Array(); c.More(); {
		if c.Kind() != jsonspan.Object {
			c.Skip()
			continue
		}
		var name []byte
		n := 0
		for c.Object(); c.Key(); n++ {
			v := rest(c)
			if len(v) > 1 && n == 0 {
				name = v[1 : len(v)-1]
			} else if len(v) > 0 && n == 1 && name != nil {
				yield(name, v)
			}
		}
	}
}

// rest consumes a value. Of a cut object or list it returns the available part.
func rest(c *jsonspan.Cursor) []byte {
	kind, from := c.Kind(), c.Pos
	if v := c.Skip(); c.Err == nil {
		return v
	}
	if kind == jsonspan.Object || kind == jsonspan.Array {
		return c.Buf[from:]
	}
	return nil
}

// opened returns a value that contains others: an object, a list, or the JSON in a string; nil for
// others.
func opened(v []byte) []byte {
	if len(v) == 0 {
		return nil
	}
	switch v[0] {
	case '{', '[':
		return v
	case '"':
		if bytes.HasPrefix(v, []byte(`"{`)) || bytes.HasPrefix(v, []byte(`"[`)) {
			data := model.EscapedText(v[1 : len(v)-1]).Append(make([]byte, 0, len(v)))
			if one, _, err := jsonspan.Cut(data); err == nil {
				return one
			}
		}
	}
	return nil
}
