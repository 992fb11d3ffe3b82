package changes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/querytest"
)

// ownedLine is a line of a synthetic repository and the session that wrote it; "" for people and
// bots.
type ownedLine struct{ text, owner string }

// repository is a project that is changed in turn by sessions, people and bots.
type repository struct {
	r     *rand.Rand
	files map[string][]ownedLine
	n     int // counter for unique names
}

var testWords = strings.Fields("cache reader queue limit parse token buffer writer index record session merge batch offset cursor window handle retry signal value")

func (p *repository) word() string { return testWords[p.r.IntN(len(testWords))] }

// function returns a function with unique lines and lines common to all functions.
func (p *repository) function(owner string) []ownedLine {
	p.n++
	texts := []string{fmt.Sprintf("func %s%s%d(%s int) error {", p.word(), strings.ToUpper(p.word()[:1]), p.n, p.word())}
	for range 2 + p.r.IntN(5) {
		p.n++
		switch p.r.IntN(4) {
		case 0:
			texts = append(texts, "\tif err != nil {", "\t\treturn err", "\t}")
		default:
			texts = append(texts, p.statement())
		}
	}
	texts = append(texts, "\treturn nil", "}", "")
	return owned(texts, owner)
}

func (p *repository) statement() string {
	p.n++
	return fmt.Sprintf("\t%s := %s(%s, %d)", p.word(), p.word(), p.word(), p.n)
}

func owned(texts []string, owner string) []ownedLine {
	lines := make([]ownedLine, len(texts))
	for i, text := range texts {
		lines[i] = ownedLine{text, owner}
	}
	return lines
}

func textOf(lines []ownedLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// splice replaces lines.
func (p *repository) splice(file string, from, to int, lines []ownedLine) {
	old := p.files[file]
	next := append(append(append([]ownedLine{}, old[:from]...), lines...), old[to:]...)
	p.files[file] = next
}

// starts returns the lines where functions begin, and the number of lines.
func (p *repository) starts(file string) []int {
	at := []int{}
	for i, l := range p.files[file] {
		if strings.HasPrefix(l.text, "func ") {
			at = append(at, i)
		}
	}
	return append(at, len(p.files[file]))
}

// person edits by hand: changes lines, adds and moves functions, also to another file, and reverts
// a file.
func (p *repository) person(files []string, before map[string][]ownedLine) {
	for range 6 {
		file := files[p.r.IntN(len(files))]
		at := p.starts(file)
		k := p.r.IntN(len(at))
		switch p.r.IntN(5) {
		case 0:
			p.splice(file, at[k], at[k], p.function(""))
		case 1, 2:
			if len(p.files[file]) == 0 {
				continue
			}
			i := p.r.IntN(len(p.files[file]))
			p.splice(file, i, i+1, owned([]string{p.statement()}, ""))
		case 3: // moves a function
			if k+1 < len(at) {
				moved := append([]ownedLine{}, p.files[file][at[k]:at[k+1]]...)
				p.splice(file, at[k], at[k+1], nil)
				to := files[p.r.IntN(len(files))]
				ends := p.starts(to)
				place := ends[p.r.IntN(len(ends))]
				p.splice(to, place, place, moved)
			}
		case 4: // reverts the last session's changes of a file
			if old, ok := before[file]; ok && p.r.IntN(2) == 0 {
				p.files[file] = append([]ownedLine{}, old...)
			}
		}
	}
}

// bot adds a header to each file, or updates its release number.
func (p *repository) bot(files []string) {
	for _, file := range files {
		p.n++
		line := owned([]string{fmt.Sprintf("// Code owners checked, release %d.", p.n)}, "")
		if len(p.files[file]) > 0 && strings.HasPrefix(p.files[file][0].text, "// Code owners") {
			p.splice(file, 0, 1, line)
		} else {
			p.splice(file, 0, 0, line)
		}
	}
}

// agentTools are the edit tools of three agents.
var agentTools = []func(path, old, before, after string) (name, args, result string){
	func(path, old, before, after string) (string, string, string) {
		return "Edit", args("file_path", path, "old_string", before, "new_string", after), "ok"
	},
	func(path, old, before, after string) (string, string, string) {
		var b strings.Builder
		b.WriteString("*** Begin Patch\n*** Update File: " + path + "\n@@\n")
		for line := range strings.Lines(before) {
			b.WriteString("-" + line)
		}
		for line := range strings.Lines(after) {
			b.WriteString("+" + line)
		}
		return "apply_patch", args("input", b.String()+"*** End Patch"), "Done"
	},
	func(path, old, before, after string) (string, string, string) {
		return "replace_in_file", args("path", path, "diff", "------- SEARCH\n"+before+"=======\n"+after+"+++++++ REPLACE\n"),
			"saved\n\n<final_file_content path=\"" + path + "\">\n" + strings.Replace(old, before, after, 1) + "\n</final_file_content>"
	},
}

// session simulates an agent that edits files, and returns its transcript.
func (p *repository) session(name string, agent int, start float64, files []string) *model.Snapshot {
	msgs := []model.Message{querytest.Message(model.User, "work of "+name)}
	call := func(tool, args, result string) {
		id := fmt.Sprint(len(msgs))
		msgs = append(msgs, querytest.Message(model.Assistant, "", querytest.Call(id, tool, args)), querytest.Tool(querytest.Result(id, result)))
	}
	read := map[string]bool{}
	for range 10 {
		file := files[p.r.IntN(len(files))]
		lines := p.files[file]
		if len(lines) == 0 {
			for range 4 {
				lines = append(lines, p.function(name)...)
			}
			p.files[file] = lines
			call("Write", args("file_path", file, "content", textOf(lines)), "File created successfully")
			read[file] = true
			continue
		}
		if !read[file] {
			call("Bash", args("command", "cat "+file), textOf(lines))
			read[file] = true
		}
		from, to, added := p.edit(file, name)
		before, after, old := textOf(lines[from:to]), textOf(added), textOf(lines)
		if strings.Count(old, before) != 1 {
			continue
		}
		tool, args, result := agentTools[agent](file, old, before, after)
		call(tool, args, result)
		p.splice(file, from, to, added)
	}
	seconds := make([]float64, len(msgs))
	for i := range seconds {
		seconds[i] = start + float64(i)
	}
	return model.FromMessages(querytest.At(msgs, seconds...))
}

// edit selects lines of a file, and returns their replacement.
func (p *repository) edit(file, name string) (from, to int, added []ownedLine) {
	lines, at := p.files[file], p.starts(file)
	if k := p.r.IntN(len(at)); p.r.IntN(3) == 0 && at[k] < len(lines) { // a function before another
		return at[k], at[k] + 1, append(p.function(name), lines[at[k]])
	}
	from = p.r.IntN(len(lines))
	to = min(from+1+p.r.IntN(3), len(lines))
	added = append(added, lines[from]) // this line stays
	for range p.r.IntN(4) {
		added = append(added, ownedLine{p.statement(), name})
	}
	return from, to, added
}

// synthetic returns a repository changed by three sessions, a person and a bot, and the trails of
// the sessions.
func synthetic(t *testing.T, seed uint64) (*repository, []*Trail) {
	t.Helper()
	p := &repository{r: rand.New(rand.NewPCG(seed, 7)), files: map[string][]ownedLine{}}
	files := []string{"/repo/a/one.go", "/repo/a/two.go"}
	p.files[files[0]] = append(append([]ownedLine{}, p.function("")...), p.function("")...)
	var trails []*Trail
	for i, name := range []string{"first", "second", "third"} {
		before := map[string][]ownedLine{}
		for file, lines := range p.files {
			before[file] = append([]ownedLine{}, lines...)
		}
		s := p.session(name, (i+int(seed))%3, float64(i*1000), files)
		h, err := Of(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		trail, err := h.Trail(context.Background(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		trails = append(trails, trail)
		for _, file := range files {
			if len(p.files[file]) == 0 {
				p.files[file] = p.function("")
			}
		}
		p.person(files, before)
		p.bot(files)
	}
	return p, trails
}

// TestBlame checks the accuracy of blame on synthetic repositories: those used to tune its rules,
// and new ones.
func TestBlame(t *testing.T) {
	for _, from := range []uint64{0, 7_000_000, 8_000_000, 9_000_000} {
		blamesRight(t, from, from+60)
	}
}

func blamesRight(t *testing.T, from, to uint64) {
	t.Helper()
	var called, right [3]int
	owned, found := 0, 0
	for seed := from; seed < to; seed++ {
		p, trails := synthetic(t, seed)
		for file, lines := range p.files {
			texts := make([]string, len(lines))
			for i := range lines {
				texts[i] = lines[i].text
			}
			for i, b := range Blame(MatchFile(file, Everywhere), texts, trails) {
				name := ""
				if b.Trail != nil {
					name = b.Trail.Path
				}
				if lines[i].owner != "" {
					owned++
					if name == lines[i].owner {
						found++
					}
				}
				called[b.Certainty]++
				if name == lines[i].owner {
					right[b.Certainty]++
				}
			}
		}
	}
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	t.Logf("certain %.1f %% of %d, likely %.1f %% of %d, recall %.1f %% of %d", share(right[Certain], called[Certain]), called[Certain],
		share(right[Likely], called[Likely]), called[Likely], share(found, owned), owned)
	if share(right[Certain], called[Certain]) < 98 || share(right[Likely], called[Likely]) < 90 || share(found, owned) < 90 {
		t.Error("blame is right less often than it must be")
	}
}

// TestTwoSourcesAreNamed: two sessions write the same lines, at the same place of a file, and in
// another file from which a person moved them. Lines of people have no session.
func TestTwoSourcesAreNamed(t *testing.T) {
	trailOf := func(name, file, text string) *Trail {
		h, err := Of(t.Context(), session([3]string{"Write", args("file_path", file, "content", text), "File created successfully"}), nil)
		if err != nil {
			t.Fatal(err)
		}
		trail, err := h.Trail(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		return trail
	}
	text := "total := sumOfOrders(orders)\nreport := newReport(total)\n"
	lines := []string{"total := sumOfOrders(orders)", "report := newReport(total)", "a line that a person wrote"}
	for _, file := range []string{"/r/a.go", "/r/b.go"} {
		trails := []*Trail{trailOf("one", file, text), trailOf("two", file, text)}
		out := Blame(MatchFile("/r/a.go", Everywhere), lines, trails)
		for i := range lines {
			l := &out[i]
			switch {
			case i == 2 && l.Trail != nil:
				t.Errorf("%s: the line of a person is of %s", file, l.Trail.Path)
			case i < 2 && (l.Certainty != Likely || len(l.Also) != 1 || l.Trail == l.Also[0]):
				t.Errorf("%s: line %d is %v of %v, also %v", file, i+1, l.Certainty, l.Trail, l.Also)
			}
		}
	}
}

// TestBlameOfManySessions blames a file of 2,000 lines changed by 1,000 sessions.
func TestBlameOfManySessions(t *testing.T) {
	trails := make([]*Trail, 1000)
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("\tvalue%d := compute(%d, offset)", i, i)
	}
	for i := range trails {
		final := append([]string{}, lines...)
		origins := make([]int32, len(final))
		for j := range origins {
			origins[j] = -1
		}
		for j := i * 2; j < i*2+2; j++ {
			origins[j] = 0
		}
		for j := 0; j < i; j++ { // later sessions have not written these lines yet
			final[(j*7)%2000] = fmt.Sprintf("older line %d of %d", j, i)
		}
		trails[i] = &Trail{Started: int64(i), Files: []TrailFile{{Path: "/r/a.go", Rel: "a.go", Final: final, Origins: origins,
			Authors: []Author{{Index: i}}, Written: final, WrittenBy: make([]int32, len(final))}}}
	}
	start := time.Now()
	out := Blame(MatchFile("/r/a.go", Everywhere), lines, trails)
	t.Logf("%v", time.Since(start))
	if out[0].Trail != trails[0] || out[0].Certainty != Certain {
		t.Errorf("the first line is %v of %q", out[0].Certainty, out[0].Trail.Path)
	}
}

// TestMatchFile: a file of a session may be the wanted one by its path, by its path below the
// folder of the session, and by its name if the session was chosen so.
func TestMatchFile(t *testing.T) {
	for _, c := range []struct {
		resolved, relative string
		want               [3]bool // in sessions from everywhere, in a folder, by name
	}{
		{"/r/s/a.go", "s/a.go", [3]bool{true, true, true}},
		{"/r/s/a.go", "/r/s/a.go", [3]bool{true, true, true}},
		{"/other/s/a.go", "s/a.go", [3]bool{true, true, true}},
		{"/other/s/a.go", "/other/s/a.go", [3]bool{false, true, true}},
		{"/other/t/a.go", "t/a.go", [3]bool{false, false, true}},
		{"/other/s/b.go", "s/b.go", [3]bool{}},
		{"/other/s/b.go", "/other/s/b.go", [3]bool{}},
		{"/s/a.go", "../s/a.go", [3]bool{false, false, true}},
		{"/h/s/a.go", "~/s/a.go", [3]bool{false, false, true}},
	} {
		for in, want := range c.want {
			if got := MatchFile("/r/s/a.go", Searched(in))(c.resolved, c.relative); got != want {
				t.Errorf("%s, in its session %s, may be the file for search %d: %v", c.resolved, c.relative, in, got)
			}
		}
	}
}
