package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/label"
	"turns/ui/paint"
)

// LabelScope is something to label.
type LabelScope struct {
	Name string // "the call Bash", "3 rows", "the session"
	Has  string // its current labels
}

// LabelLine asks for a label for a row, a turn or a session.
type LabelLine struct {
	H      *Host
	Scopes []LabelScope
	Words  []string // the team's and previously used labels
	Done   func(scope int, typed label.Typed) tea.Cmd

	scope   int
	field   Field
	wrong   string
	offered []string // words that Tab goes through, after the first Tab
	next    int
}

// Render draws the line, its completions and the current labels.
func (d *LabelLine) Render(w, h int) []string {
	if w = min(w, 78); w < 12 {
		return nil
	}
	st := d.H.Styles
	spans, _ := d.field.Spans(w-4, paint.InkText, true)
	body := []string{st.Line(w-4, paint.GroundNone, spans...)}
	help := paint.Span{Text: "#label  +good  -bad  word=3 score  anything else a note", Ink: paint.InkDim}
	if words := d.candidates(); len(words) > 0 {
		help.Text = strings.Join(words, "  ")
	}
	if d.wrong != "" {
		help = paint.Span{Text: d.wrong, Ink: paint.InkWarning}
	}
	if h > 3 {
		body = append(body, st.Line(w-4, paint.GroundNone, paint.Span{Text: paint.Cut(help.Text, w-4), Ink: help.Ink}))
	}
	if has := d.Scopes[d.scope].Has; has != "" && h > 4 {
		body = append(body, st.Line(w-4, paint.GroundNone, paint.Span{Text: paint.Cut(paint.OneLine(has), w-4), Ink: paint.InkMark}))
	}
	return paint.FrameBox(st, w, "Label "+d.Scopes[d.scope].Name, "", body)
}

// word returns the word at the cursor and its start.
func (d *LabelLine) word() (from int, text string) {
	from = strings.LastIndexByte(d.field.Text[:d.field.At], ' ') + 1
	return from, d.field.Text[from:d.field.At]
}

func (d *LabelLine) candidates() []string {
	if d.offered != nil {
		return d.offered
	}
	_, typed := d.word()
	var out []string
	for _, w := range d.Words {
		if strings.HasPrefix(strings.ToLower(w), strings.ToLower(typed)) && w != typed {
			out = append(out, w)
		}
	}
	return out
}

// Key edits the line: Tab completes a word, Shift-Tab switches to the turn and the session.
func (d *LabelLine) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	name := KeyName(msg)
	if name != "tab" {
		defer func() { d.offered = nil }()
	}
	switch name {
	case "esc", "ctrl+c":
		return true, nil
	case "enter":
		typed, err := label.Parse(d.field.Text)
		if err != nil {
			d.wrong = err.Error()
			return false, nil
		}
		return true, d.Done(d.scope, typed)
	case "shift+tab":
		d.scope = (d.scope + 1) % len(d.Scopes)
	case "tab":
		d.complete()
	default:
		d.field.Key(msg)
	}
	d.wrong = ""
	return false, nil
}

func (d *LabelLine) complete() {
	words := d.candidates()
	if len(words) == 0 {
		return
	}
	if d.offered == nil {
		d.offered, d.next = words, 0
	}
	from, _ := d.word()
	d.field.Replace(from, d.field.At, d.offered[d.next%len(d.offered)])
	d.next++
}

// Hints returns the keys of the line.
func (d *LabelLine) Hints() []Hint {
	hints := []Hint{{"⏎", "save"}, {"tab", "complete"}}
	if len(d.Scopes) > 1 {
		hints = append(hints, Hint{"shift-tab", d.Scopes[(d.scope+1)%len(d.Scopes)].Name})
	}
	return append(hints, Hint{"esc", "cancel"})
}

// Labelled holds the labels of all sessions, and of the open one.
type Labelled struct {
	Set  *label.Set
	Here *label.Here
}

// Labels returns the labels of a row: of its call, otherwise of its line of the message. The labels
// of a turn are at its prompt.
func (h *Host) Labels(key RowKey, call model.CallID) []*label.Placed {
	all := h.Labelled.Here.At(key.ID)
	return slices.DeleteFunc(all, func(p *label.Placed) bool { return !isAt(p, key, call) })
}

func isAt(p *label.Placed, key RowKey, call model.CallID) bool {
	if p.Call != NoCall || call != NoCall {
		return p.Call == call
	}
	return KeyOf(p) == key
}

// KeyOf returns the row of a label; the label of a call belongs to the row of the call.
func KeyOf(p *label.Placed) RowKey {
	return RowKey{ID: p.ID, Kind: RowKind(p.At.Rule), N: p.At.Line}
}

// Glyph returns the sign for the labels of a row, 0 for none.
func (h *Host) Glyph(key RowKey, call model.CallID) rune {
	if all := h.Labels(key, call); len(all) > 0 {
		return label.Glyph(label.Marks(all))
	}
	return 0
}

// Letters returns the rows with one-letter labels; for several of a letter, the last.
func (h *Host) Letters() map[rune]*label.Placed {
	out := map[rune]*label.Placed{}
	all := h.Labelled.Here.All()
	for i := range all {
		if r, ok := all[i].Letter(); ok && all[i].ID != model.NoID {
			out[r] = &all[i]
		}
	}
	return out
}
