package panes

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/paint"
	"turns/ui/screen"
)

// fileDiff shows the net change of a file between two of its versions, hunk by hunk with the calls
// that made them.
type fileDiff struct {
	viewer
	net    *changes.Answer
	using  *sync.Mutex // serialises the use of net
	change *changes.Change
	steps  []int // versions made by the session
	at     int   // index in steps of the displayed version
	last   bool  // compare with the previous version, not with the start
	wide   bool  // the pane filled the middle before
	copies bool  // y was pressed, waiting for p

	job   *screen.Job[*changes.View]
	view  *changes.View // nil: not computed yet
	err   error
	made  fileDiffKey
	hunks []int // hunk of each part of the body
	heads []int // part with the calls of each hunk
	hunk  int   // selected hunk, for Enter
}

// fileDiffKey is the state that the body depends on.
type fileDiffKey struct {
	w, gen int
	wrap   bool
	view   *changes.View
}

func newFileDiff(p *Files, c *changes.Change) *fileDiff {
	d := &fileDiff{viewer: newViewer(p.h, p.l, "this diff"), net: p.net, using: &p.using, change: c, steps: c.Steps()}
	d.at = len(d.steps) - 1
	return d
}

// ends returns the two versions to compare.
func (d *fileDiff) ends() (base, end int) {
	end = d.steps[d.at]
	if d.last {
		return end - 1, end
	}
	return d.change.Start(), end
}

// start computes the diff in the background.
func (d *fileDiff) start() tea.Cmd {
	d.job.Stop()
	base, end := d.ends()
	net, change, using := d.net, d.change, d.using
	d.top, d.hunk = spot{}, 0
	return screen.StartJob(d.h.Ctx, &d.job, func(ctx context.Context, _ func(done, total int64)) (*changes.View, error) {
		using.Lock()
		defer using.Unlock()
		return net.View(ctx, change, base, end)
	})
}

// take stores the diff and waits for the job's next message.
func (d *fileDiff) take(msg tea.Msg) tea.Cmd {
	done, cmd := d.job.Message(msg)
	if done != nil {
		d.job, d.view, d.err = nil, done.Answer, done.Err
	}
	return cmd
}

// prepare builds the body unless it is current.
func (d *fileDiff) prepare(w int) {
	key := fileDiffKey{w, d.h.Styles.Gen, d.l.Wraps(), d.view}
	if d.body != nil && d.made == key {
		return
	}
	d.made = key
	d.body = &paint.Doc{W: w, St: d.h.Styles, Wrap: d.l.Wraps(), Md: d.h.Markdown}
	d.hunks, d.heads = d.hunks[:0], d.heads[:0]
	if d.view == nil {
		return
	}
	add := func(hunk int, parts ...paint.Part) {
		for _, p := range parts {
			d.body.Parts, d.hunks = append(d.body.Parts, p), append(d.hunks, hunk)
		}
	}
	for i := range d.view.Hunks {
		hunk := &d.view.Hunks[i]
		if i > 0 {
			add(i-1, paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{nil}})
		}
		d.heads = append(d.heads, len(d.body.Parts))
		add(i, paint.Part{Kind: paint.PartRows, Rows: [][]paint.Span{d.madeBy(hunk, w)}})
		if hunk.Text != "" {
			add(i, paint.DiffParts(model.Clean(hunk.Text), d.change.Path)...)
		}
	}
}

// madeBy is the line above a hunk, with its calls.
func (d *fileDiff) madeBy(hunk *changes.HunkView, w int) []paint.Span {
	if len(hunk.By) == 0 {
		return []paint.Span{{Text: paint.Cut(hunk.Note, w), Ink: paint.InkWarning}}
	}
	var places []string
	for i := range hunk.By {
		places = append(places, human.Place(hunk.By[i].Pos))
	}
	if n := len(places); n > 3 {
		places = append(places[:2], fmt.Sprintf("%d more", n-3), places[n-1])
	}
	by := &hunk.By[len(hunk.By)-1]
	words := []string{paint.OneLine(by.Tool)}
	if by.Agent != "" {
		words = append(words, paint.OneLine(by.Agent))
	}
	if by.Turn >= 0 {
		words = append(words, "turn "+strconv.Itoa(by.Turn))
	}
	if by.Prompt != "" {
		words = append(words, `"`+paint.OneLine(by.Prompt)+`"`)
	}
	head := strings.Join(places, ", ")
	return []paint.Span{{Text: head, Ink: paint.InkBold}, {Text: paint.Cut(" · "+strings.Join(words, " · "), max(w-paint.Width(head), 0)), Ink: paint.InkDim}}
}

// choose updates the selected hunk after scrolling: the first that begins on the screen, or the
// one that covers it, if the old one left the screen.
func (d *fileDiff) choose() {
	if len(d.heads) == 0 || d.body.Len() == 0 {
		return
	}
	first, seen := -1, false
	s := d.top
	for range d.h0 {
		hunk := d.hunks[s.part]
		seen = seen || hunk == d.hunk
		if first < 0 && d.heads[hunk] == s.part {
			first = hunk
		}
		next, ok := d.next(s)
		if !ok {
			break
		}
		s = next
	}
	if seen {
		return
	}
	if d.hunk = first; first < 0 {
		d.hunk = d.hunks[d.top.part]
	}
}

// narrowTitle is the width below which the title shows only the differences.
const narrowTitle = 64

// title returns the lines above the diff.
func (d *fileDiff) title(w int) []string {
	st, c := d.h.Styles, d.change
	versions := "start"
	if base, _ := d.ends(); d.last && base > d.change.Start() {
		versions = "before"
		if w >= narrowTitle {
			versions = "version before"
		}
	}
	v := &c.File.Versions[d.steps[d.at]]
	form := " → %s (version %s of %s)"
	head := []paint.Span{{Text: " "}, {Text: "Changes", Ink: paint.InkAccent}, {Text: " › "}}
	if w < narrowTitle {
		form, head = " → %s %s/%s", head[:1]
	}
	versions += fmt.Sprintf(form, human.Place(v.Pos), human.Count(d.at+1), human.Count(len(d.steps)))
	lines := ""
	if d.view != nil {
		lines = changes.PlusMinus(d.view.Added, d.view.Removed)
	}
	text := c.Status.Letter() + " " + c.Words()
	if places := c.Places(); places != "" {
		text += "   " + places
	}
	room := w - paint.Width(versions) - paint.RestWidth(head) - 3
	name := describe.ShortenPath(paint.OneLine(c.Path), max(room, 8))
	return []string{
		st.Spread(w, paint.GroundNone, append(head, paint.Span{Text: name, Ink: paint.InkBold}), []paint.Span{{Text: versions + " ", Ink: paint.InkDim}}),
		st.Spread(w, paint.GroundNone, []paint.Span{{Text: " " + paint.Cut(text, max(w-paint.Width(lines)-3, 0)), Ink: paint.InkDim}}, []paint.Span{{Text: lines + " "}}),
	}
}

// render draws the diff below its title.
func (d *fileDiff) render(w, h int, focus bool) []string {
	st := d.h.Styles
	lines := d.title(w)
	d.h0 = max(h-len(lines)-1, 1)
	d.prepare(max(w-2, 8))
	ink := paint.InkBorder
	if focus {
		ink = paint.InkBorderFocus
	}
	lines = append(lines, st.Paint(ink, strings.Repeat("─", w)))
	text := ""
	switch {
	case d.err != nil:
		text = paint.OneLine(d.err.Error())
	case d.view == nil:
		text = "gathering …"
	case d.body.Len() == 0:
		text = "no net change"
	}
	if text != "" {
		return append(lines, st.Line(w, paint.GroundNone, paint.Span{Text: " " + text, Ink: paint.InkDim}))
	}
	d.choose()
	n := -1
	if d.read.marked || d.read.found >= 0 {
		n = d.number(d.top)
	}
	s := d.top
	for range d.h0 {
		if part := d.body.Lines(s.part); s.line < len(part) {
			line := d.drawLine(part[s.line], n, w)
			if s.part == d.heads[d.hunk] && focus && !d.read.marked {
				line = st.Paint(paint.InkAccent, "›") + strings.TrimPrefix(line, " ")
			}
			lines = append(lines, line)
			if n >= 0 {
				n++
			}
		}
		next, ok := d.next(s)
		if !ok {
			break
		}
		s = next
	}
	return lines
}

// keys returns the keys of the diff. back leaves it.
func (d *fileDiff) keys(back func(int, string) tea.Cmd) []screen.Key {
	own := []screen.Key{
		{Keys: []string{"h", "left", "esc", "q"}, Help: "back to the files", Do: back},
		{Keys: []string{"}"}, Label: "{ }", Hint: "version", Help: "the next version of the file", Do: func(n int, _ string) tea.Cmd { return d.step(max(n, 1)) }},
		{Keys: []string{"{"}, Help: "the version before", Do: func(n int, _ string) tea.Cmd { return d.step(-max(n, 1)) }},
		{Keys: []string{"o"}, Hint: d.otherBase(), Help: "compare with the start of the session, or with the version before", Do: func(int, string) tea.Cmd { d.last = !d.last; return d.start() }},
		{Keys: []string{"J"}, Label: "J K", Hint: "hunk", Help: "the next hunk", Do: func(n int, _ string) tea.Cmd { return d.toHunk(max(n, 1)) }},
		{Keys: []string{"K"}, Help: "the hunk before", Do: func(n int, _ string) tea.Cmd { return d.toHunk(-max(n, 1)) }},
		{Keys: []string{"enter"}, Hint: "call", Help: "go to the call that made the hunk", Do: func(int, string) tea.Cmd { return d.toCall() }},
		{Keys: []string{"y"}, Label: "yp", Hint: "copy patch", Help: "then p: copy the patch", Do: func(int, string) tea.Cmd { d.copies = true; return nil }},
		{Keys: []string{"x"}, Hint: "export", Help: "export the patch", Do: func(int, string) tea.Cmd { return d.export() }},
	}
	return append(own, d.scrollKeys()...)
}

// otherBase names the version that key o compares with next.
func (d *fileDiff) otherBase() string {
	if d.last {
		return "start"
	}
	return "version before"
}

// key handles a key, or the second key of yp, and reports whether it did.
func (d *fileDiff) key(key string, n int, back func(int, string) tea.Cmd) (bool, tea.Cmd) {
	if d.copies {
		if d.copies = false; key == "p" {
			return true, d.copyPatch()
		}
		return true, d.h.Complain("yp copies the patch")
	}
	if ok, cmd := d.marking(key); ok {
		return true, cmd
	}
	return screen.Pressed(d.keys(back), key, n)
}

// step moves n versions forward, or back.
func (d *fileDiff) step(n int) tea.Cmd {
	to := min(max(d.at+n, 0), len(d.steps)-1)
	if to == d.at {
		if n > 0 {
			return d.h.Complain("this is the last version")
		}
		return d.h.Complain("this is the first version")
	}
	d.at = to
	return d.start()
}

// toHunk selects another hunk and scrolls to it.
func (d *fileDiff) toHunk(n int) tea.Cmd {
	if len(d.heads) == 0 {
		return d.h.Complain("no hunk here")
	}
	to := min(max(d.hunk+n, 0), len(d.heads)-1)
	if to == d.hunk {
		return d.h.Complain(map[bool]string{true: "this is the last hunk", false: "this is the first hunk"}[n > 0])
	}
	d.hunk = to
	d.show(d.number(spot{d.heads[to], 0}))
	return nil
}

// toCall goes to the last call that made the selected hunk.
func (d *fileDiff) toCall() tea.Cmd {
	if d.view == nil || d.hunk >= len(d.view.Hunks) || len(d.view.Hunks[d.hunk].By) == 0 {
		return d.h.Complain("no call of the session made this")
	}
	by := d.view.Hunks[d.hunk].By
	m := &by[len(by)-1]
	return d.h.Ask(screen.GoTo{ID: m.Message, Call: m.Call})
}

// patch returns the displayed patch.
func (d *fileDiff) patch() (string, tea.Cmd) {
	switch {
	case d.view == nil:
		return "", d.h.Complain("still gathering")
	case d.view.Patch == "" && len(d.view.Hunks) == 0:
		return "", d.h.Complain("no net change")
	case d.view.Patch == "":
		return "", d.h.Complain("no patch: the transcript does not have the whole file")
	}
	return d.view.Patch, nil
}

func (d *fileDiff) copyPatch() tea.Cmd {
	text, cmd := d.patch()
	if text == "" {
		return cmd
	}
	text, secrets := redact.New().RedactString(text)
	return d.h.Ask(screen.Copied{Text: text, What: "the patch", Secrets: secrets})
}

func (d *fileDiff) export() tea.Cmd {
	text, cmd := d.patch()
	if text == "" {
		return cmd
	}
	return d.h.Ask(screen.Export{Name: path.Base(d.change.Path), Ext: ".patch", What: "a patch", Text: text})
}
