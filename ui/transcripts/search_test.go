package transcripts_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/model/source"
	"turns/model/source/bucket/buckettest"
	"turns/query"
	"turns/query/filter"
	"turns/query/lang"
	"turns/ui/transcripts"
)

// TestSearchFindsWhatReadingFinds searches the samples, unchanged and with their texts respelled,
// for generated queries. Each query runs twice: once normally, so that bytes may rule out a file or
// a record, and once in a form that bytes cannot answer.
func TestSearchFindsWhatReadingFinds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(18, 1))
	s := &searches{ctx: t.Context(), rnd: rnd, lib: transcripts.New(transcripts.Options{})}
	defer s.lib.Close()
	files, dir := 0, t.TempDir()
	err := filepath.WalkDir("../../testdata/formats", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".golden") || !modeltest.SomeNamed(path, 10) {
			return err
		}
		files++
		s.file(t, path)
		if data, err := os.ReadFile(path); err == nil && isJSON(path) {
			other := filepath.Join(dir, fmt.Sprintf("%d-%s", files, filepath.Base(path)))
			if err := os.WriteFile(other, respelled(rnd, data), 0o600); err != nil {
				return err
			}
			s.file(t, other)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.asked < modeltest.Fewer(2500, 150) || s.found*10 < s.asked || s.found*10 > s.asked*9 {
		t.Errorf("only %d queries were asked, of which %d found something", s.asked, s.found)
	}
}

func isJSON(path string) bool {
	return strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".json")
}

// TestSearchElsewhereFindsWhatReadingFinds runs the same queries on samples in a bucket and on
// another host, which are read in ranges.
func TestSearchElsewhereFindsWhatReadingFinds(t *testing.T) {
	files := []string{"claude-code/session.jsonl", "agent-c/events.jsonl", "claude-ai/conversations.json", "opencode/run.jsonl"}
	objects := map[string]string{}
	home, bin := t.TempDir(), t.TempDir()
	for i, name := range files {
		data, err := os.ReadFile("../../testdata/formats/" + name)
		if err != nil {
			t.Fatal(err)
		}
		objects[fmt.Sprint(i, path.Ext(name))] = string(data)
		if err := os.WriteFile(filepath.Join(home, fmt.Sprint(i, path.Ext(name))), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const ssh = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\ncd \"$FAR\" && exec sh -c \"$3\"\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(ssh), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAR", home)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	server := buckettest.New(objects)
	defer server.Close()
	server.Open = true
	env := map[string]string{"AWS_ENDPOINT_URL": server.URL}
	ctx, end := source.WithPlaces(t.Context(), func(name string) string { return env[name] })
	defer end()
	places := []string{"s3://runs/", "far:"}
	if runtime.GOOS == "windows" {
		places = places[:1] // a shell script is not executable there
	}
	for _, place := range places {
		s := &searches{ctx: ctx, rnd: rand.New(rand.NewPCG(18, 2)), lib: transcripts.New(transcripts.Options{})}
		for i, name := range files {
			s.file(t, place+fmt.Sprint(i, path.Ext(name)))
		}
		if s.lib.Close(); s.asked < 20 || s.found*10 < s.asked {
			t.Errorf("%s: only %d queries were asked, of which %d found something", place, s.asked, s.found)
		}
	}
}

// searches compares searches of files.
type searches struct {
	ctx          context.Context
	rnd          *rand.Rand
	lib          *transcripts.Store
	words        []string // seen in files before
	asked, found int
}

// nowhere is in no text, and too short for a search of bytes.
const nowhere = ` | text:"` + "\U0010FFFF" + `"`

func (s *searches) file(t *testing.T, path string) {
	ctx := s.ctx
	c, err := load.Open(ctx, path, load.Options{Workers: 1})
	if err != nil {
		return // a part of another sample, or made to be refused
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if err != nil {
		return
	}
	var quick, slow []*lang.Filter
	for _, q := range s.queries(ctx, snap) {
		f, err := lang.Parse(q)
		if err != nil {
			continue // for example an invalid character
		}
		twin, err := lang.Parse("(" + q + nowhere + ")")
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		quick, slow = append(quick, f), append(slow, twin)
	}
	want := s.search(ctx, path, slow)
	for i, f := range quick {
		got := s.search(ctx, path, quick[i:i+1])
		if got.Err != nil || want.Err != nil {
			t.Fatalf("%s: %v, %v", path, got.Err, want.Err)
		}
		if len(got.Hits) == 0 { // the file was not opened
			got.Hits = make([]transcripts.Hit, 1)
		}
		g, w := got.Hits[0], want.Hits[i]
		if s.asked++; w.Found {
			s.found++
		}
		if g.Found != w.Found || g.Line != w.Line || g.Index != w.Index || !slices.Equal(g.Ranges, w.Ranges) {
			t.Errorf("%s: searching for %s gives %+v, reading all gives %+v", path, f, g, w)
		}
		s.matches(t, path, snap, f, slow[i])
	}
}

func (s *searches) search(ctx context.Context, path string, filters []*lang.Filter) (found transcripts.Found) {
	s.lib.Search(ctx, []string{path}, filters, func(f transcripts.Found) { found = f })
	return found
}

// matches compares the command's matches of a word in each message.
func (s *searches) matches(t *testing.T, path string, snap *model.Snapshot, f, slow *lang.Filter) {
	term, ok := f.Root().(*lang.Term)
	if !ok || term.Key != lang.KeyAny || term.Values[0].Text == "" || term.Values[0].Form == lang.FormRegex {
		return
	}
	p, err := filter.NewPattern(term.Values[0].Text, false)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []model.ID
	for a := range transcripts.Map(s.ctx, s.lib, []string{path}, transcripts.Query[[]model.ID]{
		Holding: p.Literals(), Records: true,
		Ask: func(ctx context.Context, l *transcripts.Loaded) (ids []model.ID, err error) {
			err = filter.SearchEach(ctx, l.Chosen, p, func(m filter.SearchMatch) bool {
				ids = append(ids, m.ID)
				return true
			})
			return ids, err
		},
	}) {
		got = a.Answer
	}
	if _, err := filter.Scan(s.ctx, query.Everything(snap), slow, filter.Env{}, func(m filter.Match) bool {
		want = append(want, m.ID)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if (len(got) > 0) != (len(want) > 0) {
		t.Errorf("%s: the command finds %s in %d messages, of %d", path, f, len(got), len(want))
	}
	recorded := query.RecordedOf(snap)
	for _, id := range want { // a call and its result match for each other
		if !slices.Contains(got, id) && len(snap.Calls(id)) == 0 && len(snap.Answers(id)) == 0 && len(recorded[id]) == 0 {
			t.Errorf("%s: the command does not find %s in message %d", path, f, snap.Pos(id))
		}
	}
}

// queries returns queries for the content of a file and for that of another.
func (s *searches) queries(ctx context.Context, snap *model.Snapshot) []string {
	var texts []string
	for _, id := range snap.LiveIDs() {
		m, err := snap.Body(ctx, id)
		if err != nil {
			continue
		}
		for i := range m.Blocks {
			if text := filter.Readable(&m.Blocks[i]); text != "" {
				texts = append(texts, text)
			}
			if m.Blocks[i].Name != "" {
				texts = append(texts, m.Blocks[i].Name)
				texts = append(texts, m.Blocks[i].Name)
			}
		}
		for _, r := range query.RecordedOf(snap)[id] {
			texts = append(texts, r.Text)
		}
	}
	var out []string
	for range 6 {
		if len(texts) == 0 {
			break
		}
		word := s.part(texts[s.rnd.IntN(len(texts))])
		out = append(out, s.query(word))
		if s.words = append(s.words, word); s.rnd.IntN(3) == 0 {
			out = append(out, s.query(s.words[s.rnd.IntN(len(s.words))]))
		}
	}
	return out
}

// part returns a part of a text as typed: in any case, often without invisible characters.
func (s *searches) part(text string) string {
	runes := []rune(text)
	n := 1 + s.rnd.IntN(4)
	if s.rnd.IntN(3) > 0 {
		n = 4 + s.rnd.IntN(24)
	}
	from := s.rnd.IntN(len(runes))
	part := string(runes[from:min(from+n, len(runes))])
	if s.rnd.IntN(4) > 0 {
		part = strings.Map(func(r rune) rune {
			if model.Invisible(r) {
				return -1
			}
			return r
		}, part)
	}
	switch s.rnd.IntN(4) {
	case 0:
		return strings.ToUpper(part)
	case 1:
		return strings.ToLower(part)
	}
	return part
}

// query returns a query for a word, in one of many forms.
func (s *searches) query(word string) string {
	key := [...]string{"", "", "", "", "text:", "content:", "reasoning:", "args:", "result:"}[s.rnd.IntN(9)]
	switch s.rnd.IntN(6) {
	case 0:
		return key + "/" + regexQuoted(word) + "/i"
	case 1:
		return key + "/" + regexQuoted(word) + "/"
	case 2:
		return key + lang.Quote(word) + " " + lang.Quote(s.part(word+" "))
	}
	return key + lang.Quote(word)
}

func regexQuoted(word string) string {
	var b strings.Builder
	for _, r := range word {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ':
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// respelled returns JSON with its long texts in another spelling: with escapes, in two steps for
// JSON in JSON, with colours and with invisible characters.
func respelled(rnd *rand.Rand, data []byte) []byte {
	var out bytes.Buffer
	for len(data) > 0 {
		from := bytes.IndexByte(data, '"')
		if from < 0 {
			break
		}
		end := from + 1
		for end < len(data) && data[end] != '"' && data[end] != '\n' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(data))
		out.Write(data[:from+1])
		text := data[from+1 : end]
		if len(text) > 12 && bytes.IndexByte(text, ' ') >= 0 {
			text = spelledOtherwise(rnd, text)
		}
		out.Write(text)
		data = data[end:]
		if len(data) > 0 {
			out.WriteByte(data[0])
			data = data[1:]
		}
	}
	out.Write(data)
	return out.Bytes()
}

func spelledOtherwise(rnd *rand.Rand, text []byte) []byte {
	var out []byte
	nested := bytes.Contains(text, []byte(`\"`))
	style, each := rnd.IntN(7), 1+rnd.IntN(8)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			out = append(out, c, text[i+1])
			i++
			continue
		}
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') || rnd.IntN(each) > 0 {
			out = append(out, c)
			continue
		}
		switch style {
		case 0:
			out = fmt.Appendf(out, `\u%04x`, c)
		case 1:
			if nested {
				out = fmt.Appendf(out, `\\u%04X`, c)
			} else {
				out = fmt.Appendf(out, `\u%04X`, c)
			}
		case 2:
			out = append(append(out, "\u200b"...), c)
		case 3:
			out = append(append(out, `\u200d`...), c)
		case 4:
			out = append(append(out, `\u001b[31m`...), c)
		case 5:
			out = append(append(out, c), "\ufe0f"...)
		default:
			out = append(out, c)
		}
	}
	return out
}
