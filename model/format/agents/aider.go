package agents

import (
	"bytes"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/format/kit"
)

// AiderFormat reads Aider's chat history, a Markdown file with all chats of a folder: "#### "
// precedes the user's input, "> " the output of the program; the model's words have no prefix.
func AiderFormat() *model.Format {
	return &model.Format{
		Name:   "aider",
		Resume: "aider --restore-chat-history",
		Title:  "Aider chat history",
		Where:  []string{".aider.chat.history.md"},
		Detect: aiderDetect,
		Split: func(m model.Match) model.Splitter {
			if m.Variant == aiderLog {
				return aiderLogSplitter{}
			}
			return &aiderSplitter{}
		},
		Parse: AiderParse,
	}
}

const (
	aiderChat    = "# aider chat started at "
	aiderUser    = "####"
	aiderConsole = ">"
	aiderTokens  = "> Tokens: "
)

func aiderDetect(s *model.Sample) model.Match {
	if s.Shape != model.Prose && s.Shape != model.Lines {
		return model.Match{}
	}
	if bytes.HasPrefix(s.Text, []byte(aiderChat)) || bytes.Contains(s.Text, []byte("\n"+aiderChat)) {
		return model.Match{Score: 95, Reason: `Markdown with a heading "aider chat started at"`}
	}
	if aiderIsLog(s.Text) {
		return model.Match{Score: 95, Variant: aiderLog, Reason: `a request to the model after "TO LLM"`}
	}
	return model.Match{}
}

// aiderKind is the source of a line.
type aiderKind uint8

const (
	aiderBlank aiderKind = iota
	aiderReply           // by the model
	aiderTyped           // by the user
	aiderPrinted
	aiderStarted
)

// aiderRunMax is the maximum length of a run of lines before it is split.
const aiderRunMax = 1 << 20

// aiderSplitter splits the file into runs of lines of one kind. A prefix inside a fence of the
// model's answer is part of the answer.
type aiderSplitter struct {
	fence  aiderFence
	spaced bool // the user's lines end with two blanks, as in Aider but not its relatives
}

// aiderFence is the open fence of a code block; n is zero if none is open.
type aiderFence struct {
	mark byte
	n    int
}

// Split returns the first run.
func (s *aiderSplitter) Split(buf []byte, eof bool) (model.Record, int) {
	fence, spaced := s.fence, s.spaced
	kind, start, end := aiderBlank, 0, 0
	for at := 0; at < len(buf); {
		n := bytes.IndexByte(buf[at:], '\n') + 1
		if n == 0 {
			if !eof && len(buf)-at < aiderRunMax {
				return model.Record{}, 0
			}
			n = len(buf) - at
		}
		line := bytes.TrimRight(buf[at:at+n], "\r\n")
		next := fence
		k := next.kindOf(line, &spaced)
		switch {
		case k == aiderBlank && (kind == aiderTyped || kind == aiderPrinted): // it ends both
			return s.cut(buf, start, end, at+n, fence, spaced)
		case k == aiderBlank:
		case kind == aiderBlank:
			kind, start = k, at
			end = at + n
		case k != kind || k == aiderStarted || at-start > aiderRunMax:
			return s.cut(buf, start, end, at, fence, spaced)
		default:
			end = at + n
		}
		fence = next
		at += n
	}
	if !eof {
		return model.Record{}, 0
	}
	return s.cut(buf, start, end, len(buf), fence, spaced)
}

func (s *aiderSplitter) cut(buf []byte, start, end, n int, fence aiderFence, spaced bool) (model.Record, int) {
	s.fence, s.spaced = fence, spaced
	data := bytes.TrimRight(buf[start:end], "\r\n")
	return model.Record{Ref: model.Ref{Off: int64(start)}, Data: data}, n
}

// kindOf returns the kind of a line, and follows the fences.
func (f *aiderFence) kindOf(line []byte, spaced *bool) aiderKind {
	switch {
	case bytes.HasPrefix(line, []byte(aiderChat)), bytes.HasPrefix(line, []byte(aiderTokens)) && f.n > 0:
		f.n = 0 // a fence that is still open because the answer was cut off
	case f.n > 0:
		if mark, n, rest := aiderFenceOf(line); mark == f.mark && n >= f.n && len(bytes.TrimSpace(rest)) == 0 {
			f.n = 0
		}
		return aiderReply
	}
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return aiderBlank
	case bytes.HasPrefix(line, []byte(aiderChat)):
		return aiderStarted
	case aiderIsPrompt(line):
		if bytes.HasSuffix(line, []byte("  ")) {
			*spaced = true
			return aiderTyped
		}
		if !*spaced {
			return aiderTyped
		}
		return aiderReply // a heading in the model's answer
	case bytes.HasPrefix(line, []byte(aiderConsole)):
		return aiderPrinted
	}
	if mark, n, _ := aiderFenceOf(line); n > 0 {
		*f = aiderFence{mark, n}
	}
	return aiderReply
}

func aiderIsPrompt(line []byte) bool {
	return bytes.HasPrefix(line, []byte(aiderUser)) && (len(line) == len(aiderUser) || line[len(aiderUser)] == ' ')
}

// aiderFenceOf returns the mark of the fence that a line begins with, its length, and the text
// after it; n is zero if the line does not begin with a fence.
func aiderFenceOf(line []byte) (mark byte, n int, rest []byte) {
	line = bytes.TrimLeft(line, " ")
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return 0, 0, nil
	}
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 {
		return 0, 0, nil
	}
	return line[0], n, line[n:]
}

// AiderParse reads one section of a chat history: the beginning of a chat, input of the user,
// output of the program, or an answer. It never fails: all text is one of them.
func AiderParse(rec model.Record, fs *model.Facts) error {
	if rec.Variant == aiderLog {
		return aiderLogParse(rec, fs)
	}
	data := rec.Data
	switch {
	case bytes.HasPrefix(data, []byte(aiderChat)):
		f := kit.Note(fs, "chat started")
		f.Time = kit.ParseISO(bytes.TrimSpace(data[len(aiderChat):]))
		f.AddText(model.Words, model.PlainText(bytes.TrimPrefix(data, []byte("# "))))
	case aiderAll(data, aiderIsPrompt):
		f := fs.Add(model.Say)
		f.Role = model.User
		f.AddText(model.Words, aiderStrip(data, aiderUser))
	case aiderAll(data, func(line []byte) bool { return bytes.HasPrefix(line, []byte(aiderConsole)) }):
		aiderPrint(data, fs)
	default:
		aiderAnswer(data, fs.Add(model.Say))
	}
	return nil
}

// aiderAll reports whether is returns true for all lines except blank ones.
func aiderAll(data []byte, is func(line []byte) bool) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 && !is(line) {
			return false
		}
	}
	return true
}

// aiderStrip returns the text without the mark before each line and the blanks after it.
func aiderStrip(data []byte, mark string) model.Text {
	if bytes.IndexByte(data, '\n') < 0 {
		return model.PlainText(aiderLine(data, mark))
	}
	text := make([]byte, 0, len(data))
	for line := range bytes.Lines(data) {
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, aiderLine(line, mark)...)
	}
	return model.PlainText(text)
}

func aiderLine(line []byte, mark string) []byte {
	line = bytes.TrimPrefix(line, []byte(mark))
	return bytes.TrimRight(bytes.TrimPrefix(line, []byte(" ")), " \r\n")
}

// aiderAnswer adds the model's answer; its reasoning is in tags before it.
func aiderAnswer(data []byte, f *model.Fact) {
	f.Role = model.Assistant
	const open = "<thinking-content-"
	if bytes.HasPrefix(data, []byte(open)) {
		if n := bytes.IndexByte(data, '>'); n > 0 {
			end := append([]byte("</"), data[1:n+1]...)
			if i := bytes.Index(data, end); i > 0 {
				f.AddText(model.Reasoning, model.PlainText(bytes.TrimSpace(data[n+1:i])))
				data = bytes.TrimSpace(data[i+len(end):])
			}
		}
	}
	if len(data) > 0 || len(f.Blocks) == 0 {
		f.AddText(model.Words, model.PlainText(data))
	}
}

// aiderPrint notes the output of the program, and counts the tokens that it reports.
func aiderPrint(data []byte, fs *model.Facts) {
	f := kit.Note(fs, "console")
	f.AddText(model.Words, aiderStrip(data, aiderConsole))
	var usage []model.Usage
	for line := range bytes.Lines(data) {
		line = aiderLine(line, aiderConsole)
		switch {
		case bytes.HasPrefix(line, []byte("Tokens: ")):
			if u := AiderUsage(line[len("Tokens: "):]); u.Scope != model.NoUsage {
				usage = append(usage, u)
			}
		case bytes.HasPrefix(line, []byte("Aider v")):
			f.Keep("version", model.PlainText(line[len("Aider v"):]))
		case bytes.HasPrefix(line, []byte("Model: ")), bytes.HasPrefix(line, []byte("Main model: ")):
			name := line[bytes.IndexByte(line, ':')+2:]
			if i := bytes.Index(name, []byte(" with ")); i >= 0 {
				name = name[:i]
			}
			f.Keep("model", model.PlainText(name))
		}
	}
	for _, u := range usage {
		fs.Add(model.Meter).Usage = u
	}
}

// AiderUsage reads "9.2k sent, 1k cache hit, 364 received. Cost: $0.01 message, $0.02 session.";
// the sent tokens include those from the cache.
func AiderUsage(line []byte) model.Usage {
	u := kit.NoUsage(model.Each)
	tokens, cost, _ := bytes.Cut(line, []byte(" Cost: $"))
	for part := range bytes.SplitSeq(bytes.TrimRight(tokens, ". "), []byte(", ")) {
		number, what, _ := bytes.Cut(part, []byte(" "))
		n, ok := aiderNumber(number)
		if !ok {
			continue
		}
		switch string(what) {
		case "sent":
			u.Input = n
		case "received":
			u.Output = n
		case "cache hit":
			u.CacheRead = n
		case "cache write":
			u.CacheWrite = n
		}
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	kit.ExcludeCache(&u)
	if number, _, ok := bytes.Cut(cost, []byte(" message")); ok {
		if x, err := strconv.ParseFloat(string(number), 64); err == nil && x >= 0 && x < 1e9 {
			u.Cost, u.HasCost = x, true
		}
	}
	return u
}

// aiderNumber reads 364, 9.2k, 1.5M, or 12,345 in the output of older releases.
func aiderNumber(b []byte) (int64, bool) {
	unit := 1.0
	switch {
	case bytes.HasSuffix(b, []byte("k")):
		unit = 1e3
	case bytes.HasSuffix(b, []byte("M")):
		unit = 1e6
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(string(bytes.TrimRight(b, "kM")), ",", ""), 64)
	if err != nil || !(x >= 0 && x < 1e12) {
		return 0, false
	}
	return int64(x*unit + 0.5), true
}
