package describe

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// LineKind is the kind of row of a [Line]. It decides the glyph.
type LineKind uint8

// The kinds of rows.
const (
	LineUser LineKind = iota
	LineAssistant
	LineReasoning
	LineSystem   // system and developer
	LineInjected // text that a program sent as the user
	LineCall
	LineOrphan // a result without a call
	LineMedia
	LineOther      // other roles and blocks
	LineEvent      // bookkeeping
	LineUnreadable // an unreadable record
	LineRule       // drawn across: a compaction, a rewind, a change of model, the end
)

// Line describes an item and its outcome in one line. All its texts are cleaned.
type Line struct {
	Kind   LineKind
	Family Family
	Word   string // the word after the glyph: Bash, assistant
	About  string // its subject; each run of white space is one space
	// byte range of a path in About, whose middle folders may be dropped
	Path  [2]int
	Lines int // lines of the text that begins with About; 0 or 1: no ⏎n
	// the outcome: "exit 2 · 12 tests, 12 failures"; "" if not recorded
	Outcome string
	Warning string        // count of hidden characters: "3 hidden"; Outcome begins with it
	State   model.Outcome // of a call; Failure of a failed request, Stopped of an interrupted text
	Block   int           // block of the message that the row describes; -1: the message
	Call    model.CallID  // row of the call, NoRow for none
	Again   bool          // a further result of the same call
}

// LineMax exceeds the columns that a screen has for the subject of a line.
const LineMax = 400

// Describer describes items of one session.
type Describer struct {
	Cwd  string         // the session's folder: paths are relative to it
	Home string         // becomes ~; "" for none
	Zone *time.Location // of times in rules; nil is UTC
	// Whole returns up to [WholeMax] of a failure's text, with all the text that it quotes: for
	// comparing, not for a line on screen.
	Whole bool
}

// WholeMax is the number of bytes of a failure that are compared.
const WholeMax = 4 << 10

// Message describes a message in rows: one for each reasoning, text and call, in the order of its
// blocks. Texts of only white space have no row. Results have one only if they lack a call. It
// reads the message and the results of its calls through p.
func (d Describer) Message(ctx context.Context, p *query.Pairs, id model.ID) ([]Line, error) {
	s := p.Snap
	m, err := p.Body(ctx, id)
	if err != nil {
		return nil, err
	}
	if m.Op != model.Say {
		return []Line{d.Note(m)}, nil
	}
	calls := query.CallsOf(s, id)
	answers := s.Answers(id)
	orphans, err := p.OrphansAmong(ctx, id)
	if err != nil {
		return nil, err
	}
	var lines []Line
	described := mediaOfCalls(m, answers)
	nCall, nResult := 0, 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case model.ToolCall:
			line, err := d.callRow(ctx, p, b, query.NthCall(calls, nCall), m)
			if err != nil {
				return nil, err
			}
			line.Block = i
			lines = append(lines, line)
			nCall++
		case model.ToolResult:
			if nResult < len(answers) && answers[nResult].Msg == model.NoID {
				line, err := d.answerRow(ctx, p, b, answers[nResult].ID)
				if err != nil {
					return nil, err
				}
				line.Block = i
				lines = append(lines, line)
			} else if row, ok := orphans[i]; ok {
				line, err := d.answerRow(ctx, p, b, row)
				if err != nil {
					return nil, err
				}
				line.Block = i
				lines = append(lines, line)
			}
			nResult++
		default:
			if line, ok := d.prose(m, i, described); ok {
				lines = append(lines, line)
			}
		}
	}
	addFate(lines, m)
	return byMaker(s, lines), nil
}

// answerRow describes a result that is not the first of a call.
func (d Describer) answerRow(ctx context.Context, p *query.Pairs, b *model.Content, row model.CallID) (Line, error) {
	c := query.CallOf{ID: row, Row: p.Snap.Call(row), Result: b}
	if _, again := c.Row.First(); again {
		var err error
		if c, err = p.Read(ctx, row); err != nil {
			return Line{}, err
		}
	}
	line := d.Answer(&c)
	line.Call = row
	return line, nil
}

// byMaker moves the calls of scripts after their scripts, in order.
func byMaker(s *model.Snapshot, lines []Line) []Line {
	at := func(call model.CallID) int {
		return slices.IndexFunc(lines, func(l Line) bool { return l.Call == call })
	}
	for i := range lines {
		maker, made := makerOf(s, &lines[i])
		host := at(maker)
		if !made || host < 0 {
			continue
		}
		to := host + 1
		for to < len(lines) && Depth(s, lines[to].Call) > Depth(s, maker) {
			to++
		}
		if to > i { // already in place
			continue
		}
		line := lines[i]
		copy(lines[to+1:i+1], lines[to:i])
		lines[to] = line
	}
	return lines
}

func makerOf(s *model.Snapshot, l *Line) (maker model.CallID, ok bool) {
	if l.Kind != LineCall || uint32(l.Call) == model.NoRow {
		return 0, false
	}
	return s.Call(l.Call).Parent()
}

// Depth returns the number of calls in the same message that contain a call: 0 for a call of the
// model, and without a call.
func Depth(s *model.Snapshot, call model.CallID) (n int) {
	if uint32(call) == model.NoRow {
		return 0
	}
	c := s.Call(call)
	for maker, ok := c.Parent(); ok && s.Call(maker).Msg == c.Msg; maker, ok = s.Call(maker).Parent() {
		n++
	}
	return n
}

// prose describes a block other than calls and results; ok is false if it has no row.
func (d Describer) prose(m *model.Message, block int, described map[int]bool) (line Line, ok bool) {
	if described[block] {
		return line, false
	}
	line = d.words(m, block)
	return line, line.About != "" || line.Outcome != ""
}

// mediaOfCalls returns the blocks of images, sounds and files in the results of calls: the rows of
// the calls show them.
func mediaOfCalls(m *model.Message, answers []model.CallRow) (described map[int]bool) {
	n := 0
	for i := range m.Blocks {
		if m.Blocks[i].Kind != model.ToolResult {
			continue
		}
		if n < len(answers) && answers[n].Msg != model.NoID {
			for _, block := range query.MediaOfResult(m, m.Blocks[i].ID) {
				if described == nil {
					described = map[int]bool{}
				}
				described[block] = true
			}
		}
		n++
	}
	return described
}

// addFate adds the fate of a message to its rows. Rows with words already have it; all others get
// it, because a reader may see any of them first.
func addFate(lines []Line, m *model.Message) {
	fate := Fate(m)
	if fate == "" {
		return
	}
	for i := range lines {
		if l := &lines[i]; !strings.HasSuffix(l.Outcome, fate) {
			l.Outcome = joined(l.Outcome, fate)
		}
	}
}

// addMedia adds the images, sounds and files of a call's result to its row.
func addMedia(line *Line, answer *model.Message, call string) {
	media := query.MediaOfResult(answer, call)
	if len(media) == 0 {
		return
	}
	text := MediaText(&answer.Blocks[media[0]])
	if len(media) > 1 {
		text = mediaCounts(answer, media)
	}
	if line.State.Failed() {
		line.Outcome = joined(line.Outcome, text)
		return
	}
	line.Outcome = text
}

// mediaCounts counts blocks of media by type, such as "2 images, 1 sound".
func mediaCounts(m *model.Message, media []int) string {
	counts := map[string]int{}
	for _, i := range media {
		counts[mediaWord(&m.Blocks[i])]++
	}
	var parts []string
	for _, kind := range [...]struct{ word, plural string }{{"image", "image"}, {"audio", "sound"}, {"video", "video"}, {"file", "file"}} {
		if n := counts[kind.word]; n > 0 {
			parts = append(parts, human.Plural(n, kind.plural))
		}
	}
	return strings.Join(parts, ", ")
}

// callRow describes a call of m; row is nil if the index does not have it.
func (d Describer) callRow(ctx context.Context, p *query.Pairs, b *model.Content, row *model.CallRow, m *model.Message) (Line, error) {
	if row == nil {
		line := d.Call(b, nil, nil)
		if m.Flags&model.HasResults == 0 { // a message with results has no call rows
			line.Kind, line.Outcome = LineOther, repeatedAnswer
		}
		return line, nil
	}
	answer, result, err := p.Words(ctx, row.ID)
	if err != nil {
		return Line{}, err
	}
	line := d.Call(b, result, &row.Call)
	line.Call = row.ID
	if answer != nil {
		addMedia(&line, answer, b.ID)
	}
	if answer != nil && answer.ID != m.ID && Fate(answer) != Fate(m) {
		if fate := Fate(answer); fate != "" {
			line.Outcome = joined(line.Outcome, "result "+fate)
		}
	}
	if run, ok := agentOf(p.Snap, &row.Call); ok && line.Family == FamilyAgent && !line.State.Failed() {
		line.Outcome = joined(line.Warning, run)
	}
	return line, nil
}

// repeatedAnswer is the outcome of a call from an earlier message: some agents write their answer
// again with every call. The earlier row shows the result.
const repeatedAnswer = "said again"

// agentOf summarizes a call's subagent from its thread: whether it runs, its model, and the number
// of its calls and errors, or of its messages.
func agentOf(s *model.Snapshot, c *model.Call) (string, bool) {
	if c.Flags&model.HasChild == 0 || c.Child == 0 || int(c.Child) >= len(s.Threads()) {
		return "", false
	}
	t := &s.Threads()[c.Child]
	var parts []string
	if c.Result == model.NoID {
		parts = append(parts, "running")
	}
	calls, errors, seen := 0, 0, 0
	for n := int(t.First); n < min(s.Rows(), int(t.First)+agentLook) && seen < t.Count; n++ {
		h := s.HeadRow(model.ID(n))
		if h.Thread != c.Child || h.Op != model.Say {
			continue
		}
		seen++
		if name := s.Name(h.Name); h.Role == model.Assistant && name != "" && h.Flags&model.Synthetic == 0 && len(parts) == 0 {
			parts = append(parts, ShortModel(human.OneLine(name, 40)))
		}
		if h.Flags&model.HasCalls != 0 {
			for _, call := range s.Calls(model.ID(n)) {
				calls++
				if call.Outcome.Failed() {
					errors++
				}
			}
		}
	}
	switch {
	case calls > 0:
		parts = append(parts, human.Plural(calls, "call"))
		if errors > 0 {
			parts = append(parts, human.Plural(errors, "error"))
		}
	default:
		parts = append(parts, human.Plural(t.Count, "message"))
	}
	return strings.Join(parts, " · "), t.Count > 0
}

// agentLook limits the rows examined for a subagent's summary, so that an agent with rows in all of
// a file does not make its row slow.
const agentLook = 20_000

// ShortModel returns a model's name without its maker and its date.
func ShortModel(name string) string {
	for _, p := range [...]string{"claude-", "models/", "anthropic/", "openai/", "google/"} {
		name = strings.TrimPrefix(name, p)
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 && len(name)-i == 9 && strings.Trim(name[i+1:], "0123456789") == "" {
		name = name[:i]
	}
	return name
}

// ShortenPath drops folders from the middle of a path until it fits, then cuts the end.
func ShortenPath(p string, room int) string {
	width := human.Width
	if width(p) <= room {
		return p
	}
	parts := strings.Split(p, "/")
	first := 1
	if parts[0] == "" { // an absolute path keeps its first folder
		first = 2
	}
	for gone := 1; first+gone < len(parts); gone++ {
		short := path.Join(strings.Join(parts[:first], "/"), "…", strings.Join(parts[first+gone:], "/"))
		if width(short) <= room {
			return short
		}
	}
	last := "…/" + parts[len(parts)-1]
	if width(last) <= room {
		return last
	}
	return human.CutText(parts[len(parts)-1], room)
}
