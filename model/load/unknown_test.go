package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"unicode"

	"turns/model"
	"turns/model/modeltest"
)

// told is the content of a transcript for a reader: the speakers and texts, and the calls with
// their results.
type told struct {
	words []saidBy
	calls []callMade
	order []string // all content in order
}

// String returns the content in order.
func (t *told) String() string { return strings.Join(t.order, "; ") }

type saidBy struct {
	role model.Role
	text string // letters and digits only
	free bool   // a program added it; the speaker may be the user or the system
}

type callMade struct {
	name, args, result string
	answered           bool
}

// bare returns a text without its form: of JSON the values, of other text letters and digits.
func bare(text string) string {
	var v any
	if s := strings.TrimSpace(text); s != "" && (s[0] == '{' || s[0] == '[' || s[0] == '"') && json.Unmarshal([]byte(s), &v) == nil {
		text = strings.Join(leaves(v, nil), " ")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

func leaves(v any, list []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = leaves(v[k], list)
		}
	case []any:
		for _, e := range v {
			list = leaves(e, list)
		}
	case nil:
	default:
		list = append(list, fmt.Sprint(v))
	}
	return list
}

// bareArgs returns arguments without their names, in sorted order.
func bareArgs(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return bare(text)
	}
	if s, ok := v.(string); ok {
		return bareArgs(s)
	}
	list := leaves(v, nil)
	slices.Sort(list)
	return bare(strings.Join(list, " "))
}

// tell opens a transcript and returns its content, and the name of its format. It uses a file: the
// bytes available from a pipe, which decide the format, differ from run to run.
func tell(data, name string) (*told, string, error) {
	ctx := context.Background()
	file, err := os.CreateTemp("", "turns-tell-*")
	if err != nil {
		return nil, "", err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, "", err
	}
	c, err := Open(ctx, file.Name(), Options{Format: name, Workers: 1})
	if err != nil {
		return nil, "", err
	}
	defer c.Close()
	s, err := c.Load(ctx)
	if s == nil {
		return nil, "", err
	}
	t := &told{}
	for pos := range s.Len() {
		id := s.At(pos)
		m, err := s.Body(ctx, id)
		if err != nil {
			continue
		}
		n := 0
		rows := s.Calls(id)
		taken := map[resultAt]bool{}
		for _, b := range m.Blocks {
			switch b.Kind {
			case model.Words:
				if text := bare(b.Text); text != "" {
					t.words = append(t.words, saidBy{m.Role, text, m.Flags&(model.Injected|model.Synthetic|model.Recap) != 0})
					t.order = append(t.order, fmt.Sprintf("%v %s", m.Role, text))
				}
			case model.ToolCall:
				call := callMade{name: b.Name, args: bareArgs(b.Text)}
				if i := slices.IndexFunc(rows, func(r model.CallRow) bool { return r.Block == uint32(n) }); i >= 0 {
					call.result, call.answered = resultOf(ctx, s, rows[i], b, taken)
				}
				n++
				t.calls = append(t.calls, call)
				if !call.answered {
					call.result = "?"
				}
				t.order = append(t.order, fmt.Sprintf("%s(%s) = %s", call.name, call.args, call.result))
			}
		}
	}
	f, _ := c.Format()
	return t, f.Name, nil
}

// resultAt identifies a result by its place.
type resultAt struct {
	msg   model.ID
	index int
}

// resultOf returns the result of a call; those of one message without ids are matched in order.
func resultOf(ctx context.Context, s *model.Snapshot, row model.CallRow, call model.Content, taken map[resultAt]bool) (string, bool) {
	if row.Result == model.NoID {
		return "", false
	}
	m, err := s.Body(ctx, row.Result)
	if err != nil {
		return "", false
	}
	results := m.Results()
	for i, r := range results {
		at := resultAt{row.Result, i}
		if (r.ID == call.ID || len(results) == 1) && !taken[at] && (r.Name == "" || r.Name == call.Name || len(results) == 1) {
			taken[at] = true
			return bare(r.Text), true
		}
	}
	return "", true
}

// score counts the found and the wrong parts of a content.
type score struct {
	words, foundWords int
	calls, foundCalls int
	pairs, foundPairs int
	wrong             int // words of another speaker, or results of another call
	example           string
}

func (s *score) add(o score) {
	s.words, s.foundWords = s.words+o.words, s.foundWords+o.foundWords
	s.calls, s.foundCalls = s.calls+o.calls, s.foundCalls+o.foundCalls
	s.pairs, s.foundPairs = s.pairs+o.pairs, s.foundPairs+o.foundPairs
	s.wrong += o.wrong
	if s.example == "" {
		s.example = o.example
	}
}

func ratio(found, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(found) / float64(of)
}

// kept reports whether it is still the same conversation.
func (s score) kept() bool {
	return s.wrong == 0 && ratio(s.foundWords, s.words) >= 0.95 && ratio(s.foundCalls, s.calls) >= 0.95 && ratio(s.foundPairs, s.pairs) >= 0.95
}

func (s score) String() string {
	return fmt.Sprintf("words %d/%d calls %d/%d pairs %d/%d wrong %d %s", s.foundWords, s.words, s.foundCalls, s.calls, s.foundPairs, s.pairs, s.wrong, s.example)
}

// says reports whether a speaker has a text.
func (t *told) says(s saidBy) bool {
	return slices.ContainsFunc(t.words, func(w saidBy) bool { return w.text == s.text && sameSpeaker(w, s) })
}

func sameSpeaker(a, b saidBy) bool {
	return a.role == b.role || a.free || b.free || a.role+b.role == model.System+model.Developer
}

// compare searches got for the content of want. Long texts may be inside of longer ones, because
// formats may divide a text into blocks in several ways.
func compare(want, got *told) score {
	var s score
	byText := map[string][]saidBy{}
	for _, w := range got.words {
		byText[w.text] = append(byText[w.text], w)
	}
	miss := func(format string, args ...any) {
		if s.example == "" {
			s.example = fmt.Sprintf(format, args...)
		}
	}
	for _, w := range want.words {
		s.words++
		same := byText[w.text]
		if len(same) == 0 && len(w.text) >= 12 {
			for _, g := range got.words {
				if strings.Contains(g.text, w.text) {
					same = append(same, g)
				}
			}
		}
		switch {
		case slices.ContainsFunc(same, func(g saidBy) bool { return sameSpeaker(w, g) }):
			s.foundWords++
		case len(same) > 0 && len(w.text) >= 12 && !slices.ContainsFunc(same, want.says):
			s.wrong++
			miss("speaker %v for %v: %.40q", same[0].role, w.role, w.text)
		default:
			miss("no %v %.40q", w.role, w.text)
		}
	}
	byCall := map[string][]callMade{}
	for _, c := range got.calls {
		byCall[c.name+"\x00"+c.args] = append(byCall[c.name+"\x00"+c.args], c)
	}
	for _, w := range want.calls {
		s.calls++
		key := w.name + "\x00" + w.args
		same := byCall[key]
		if w.answered {
			s.pairs++
		}
		if len(same) == 0 {
			miss("no call %s(%.40s)", w.name, w.args)
			continue
		}
		s.foundCalls++
		best := slices.IndexFunc(same, func(g callMade) bool { return g.answered == w.answered && sameResult(w.result, g.result) })
		switch {
		case best >= 0 && w.answered:
			s.foundPairs++
		case best < 0 && w.answered && same[0].answered && slices.ContainsFunc(want.calls, func(o callMade) bool {
			return o.answered && len(o.result) >= 12 && o.result == same[0].result && o.result != w.result
		}):
			s.wrong++
			miss("call %s has another's result %.40q", w.name, same[0].result)
		case best < 0 && w.answered:
			miss("call %s(%.20s) has the result %.40q (%v) for %.40q", w.name, w.args, same[0].result, same[0].answered, w.result)
		}
		byCall[key] = slices.Delete(slices.Clone(same), max(best, 0), max(best, 0)+1)
	}
	return s
}

func sameResult(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) > 0 && strings.Contains(b, a)
}

// specimen is a file with a known format, and its content.
type specimen struct {
	path, format string
	data         []byte
	told         *told
}

// specimens returns the samples of the project, and with TURNS_TEST=all also those of the corpus:
// the JSON files with a conversation.
func specimens(t *testing.T, roots ...string) []specimen {
	var list []specimen
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".golden") || strings.Contains(path, ".rows.") ||
				!strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonl") {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) > 4<<20 || readNodes(data) == nil {
				return nil
			}
			if os.Getenv("TURNS_ONLY") != "" && !strings.Contains(path, os.Getenv("TURNS_ONLY")) {
				return nil
			}
			told, format, err := tell(string(data), "")
			if err != nil || format == "records" || format == "inferred" || len(told.words)+len(told.calls) < 2 {
				return nil
			}
			list = append(list, specimen{path, format, data, told})
			return nil
		})
	}
	return list
}

// corpora returns the folders of specimens.
func corpora() []string {
	roots := []string{"../../testdata/formats"}
	if c := os.Getenv("TURNS_CORPUS"); c != "" && os.Getenv("TURNS_TEST") == "all" {
		roots = append(roots, c)
	}
	return roots
}

// sampled thins out specimens unless all are requested: the default tests must be fast.
func sampled(list []specimen, every int) []specimen {
	return slices.DeleteFunc(list, func(s specimen) bool { return !modeltest.SomeNamed(s.path, every) })
}

// TestMutants reads transcripts with the kinds of changes that formats undergo over time.
func TestMutants(t *testing.T) {
	modeltest.Long(t, "it reads every sample changed in many ways")
	type row struct{ mutants, kept, wrong int }
	formats, kinds := map[string]*row{}, map[string]*row{}
	var all row
	for _, sp := range sampled(specimens(t, corpora()...), 6) {
		for _, m := range mutators() {
			tr := parseTranscript(sp.data, sp.path+m.name)
			changed := m.mutate(tr)
			want := sp.told
			if m.cut {
				var err error
				if want, _, err = tell(changed, sp.format); err != nil || len(want.words)+len(want.calls) < 2 {
					continue
				}
			}
			got, name, err := tell(changed, "")
			if err != nil {
				t.Errorf("%s %s: %v", sp.path, m.name, err)
				continue
			}
			s := compare(want, got)
			for _, r := range []*row{at(formats, sp.format), at(kinds, m.name), &all} {
				r.mutants++
				if s.kept() {
					r.kept++
				}
				if s.wrong > 0 {
					r.wrong++
				}
			}
			if !s.kept() && testing.Verbose() {
				t.Logf("%s, %s: as %s: %v", filepath.Base(sp.path), m.name, name, s)
			}
			if s.wrong > 0 && os.Getenv("TURNS_TEST") == "all" {
				t.Logf("WRONG %s, %s: as %s: %v", sp.path, m.name, name, s)
			}
		}
	}
	for _, table := range []map[string]*row{kinds, formats} {
		t.Log(tableOf(table, func(name string, r *row) string {
			return fmt.Sprintf("%s\t%d\t%d\t%.1f %%\t%d wrong", name, r.mutants, r.kept, 100*ratio(r.kept, r.mutants), r.wrong)
		}))
	}
	t.Logf("%d of %d mutants are kept (%.1f %%), %d are shown wrong", all.kept, all.mutants, 100*ratio(all.kept, all.mutants), all.wrong)
	bar := 0.9 // for a few mutants, each with a large weight
	if os.Getenv("TURNS_TEST") == "all" {
		bar = 0.955
		for kind, floor := range map[string]float64{"rename": 0.80, "spelling": 0.88} {
			if r := at(kinds, kind); ratio(r.kept, r.mutants) < floor {
				t.Errorf("%s: of %d mutants %d are kept", kind, r.mutants, r.kept)
			}
		}
	}
	if ratio(all.kept, all.mutants) < bar || all.wrong > 0 {
		t.Errorf("of %d mutants %d are kept, and %d are shown wrong", all.mutants, all.kept, all.wrong)
	}
}

func at[T any](m map[string]*T, key string) *T {
	if m[key] == nil {
		m[key] = new(T)
	}
	return m[key]
}

func tableOf[T any](m map[string]*T, line func(string, *T) string) string {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw)
	for _, name := range slices.SortedFunc(maps.Keys(m), cmp.Compare) {
		fmt.Fprintln(tw, line(name, m[name]))
	}
	tw.Flush()
	return b.String()
}

// TestBlind reads transcripts only by inference: each unchanged, and with all names of fields
// replaced by random words.
func TestBlind(t *testing.T) {
	modeltest.Long(t, "it reads every sample as an unknown one")
	type row struct{ plain, random score }
	formats := map[string]*row{}
	for _, sp := range sampled(specimens(t, corpora()...), 6) {
		tr := parseTranscript(sp.data, sp.path+"blind")
		for _, random := range []bool{false, true} {
			if random {
				args := map[string]bool{}
				for _, c := range sp.told.calls {
					args[c.args] = true
				}
				tr.blindNames(func(n *node) bool { return n.open == '{' && args[bareArgs(n.text())] })
			}
			got, _, err := tell(tr.text(), "inferred")
			if err != nil {
				t.Errorf("%s: %v", sp.path, err)
				continue
			}
			s := compare(sp.told, got)
			if r := at(formats, sp.format); random {
				r.random.add(s)
			} else {
				r.plain.add(s)
			}
			if testing.Verbose() && (ratio(s.foundWords, s.words) < 0.8 || ratio(s.foundPairs, s.pairs) < 0.7 || s.wrong > 0) {
				t.Logf("%s %s random=%v: %v", sp.format, strings.TrimPrefix(sp.path, os.Getenv("TURNS_CORPUS")), random, s)
			}
		}
	}
	t.Log(tableOf(formats, func(name string, r *row) string {
		line := name
		for _, s := range []score{r.plain, r.random} {
			line += fmt.Sprintf("\twords %d\t%.0f %%\tcalls %d\t%.0f %%\twith results %d\t%.0f %%\twrong %d", s.words, 100*ratio(s.foundWords, s.words),
				s.calls, 100*ratio(s.foundCalls, s.calls), s.pairs, 100*ratio(s.foundPairs, s.pairs), s.wrong)
		}
		return line
	}))
	var sum, random score
	for name, r := range formats {
		all := r.plain
		all.add(r.random)
		sum.add(all)
		random.add(r.random)
		if ratio(all.foundWords, all.words) < 0.8 || ratio(all.foundPairs, all.pairs) < 0.7 {
			t.Logf("little of %s: %v", name, all)
		}
	}
	// The samples of the project are small, each with all parts of its format; real transcripts are
	// simpler.
	floors := []float64{0.5, 0.35, 0.4, 0.28}
	if modeltest.Whole() {
		floors = []float64{0.947, 0.84, 0.935, 0.806}
	}
	for i, of := range []score{sum, random} {
		name := []string{"all", "random names"}[i]
		t.Logf("of %s: words %.1f %%, calls %.1f %%, with results %.1f %%, %d wrong", name, 100*ratio(of.foundWords, of.words),
			100*ratio(of.foundCalls, of.calls), 100*ratio(of.foundPairs, of.pairs), of.wrong)
		if ratio(of.foundWords, of.words) < floors[2*i] || ratio(of.foundPairs, of.pairs) < floors[2*i+1] || of.wrong*500 > of.words && modeltest.Whole() {
			t.Errorf("of %s: %v", name, of)
		}
	}
}
