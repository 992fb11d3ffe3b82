package describe

import (
	"cmp"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// FirstLine returns the first informative line of a text, cleaned, and the number of lines from
// there on. It reads only that line and counts newlines.
func FirstLine(s string) (line string, lines int) {
	for range 64 { // a text may begin with many lines of rules or invisible characters
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return "", 0
		}
		first, rest, more := strings.Cut(s, "\n")
		line = human.OneLine(strings.TrimSuffix(first, "\r"), LineMax)
		if line != "" {
			lines = 1
			if more {
				lines += textLines(strings.TrimRight(rest, " \t\r\n"))
			}
			return line, lines
		}
		s = rest
	}
	return "", 0
}

// PlainMarkdown drops Markdown signs from the beginning of a line, and the doubled signs for bold.
func PlainMarkdown(line string) string {
	for {
		before := line
		line = strings.TrimLeft(line, " ")
		if rest := strings.TrimLeft(line, "#"); rest != line && strings.HasPrefix(rest, " ") {
			line = rest[1:]
		}
		for _, sign := range [...]string{"> ", "- ", "* ", "+ "} {
			line = strings.TrimPrefix(line, sign)
		}
		if line == before {
			break
		}
	}
	if strings.Contains(line, "**") {
		line = strings.ReplaceAll(line, "**", "")
	}
	if strings.HasPrefix(line, "```") {
		line = strings.TrimSpace(strings.TrimLeft(line, "`"))
	}
	return line
}

// FirstWords returns the first line of a message's text.
func FirstWords(m *model.Message) string {
	for i := range m.Blocks {
		if m.Blocks[i].Kind != model.Words {
			continue
		}
		if line, _ := lineOf(m, m.Blocks[i].Text); line != "" {
			return line
		}
	}
	return ""
}

// AnswerWords returns the first line of a message's text, skipping headings. It returns
// FirstWords if all lines are headings.
func AnswerWords(m *model.Message) string {
	for i := range m.Blocks {
		if m.Blocks[i].Kind != model.Words || m.Flags&model.Injected != 0 {
			continue
		}
		for line := range strings.SplitSeq(human.CutBytes(m.Blocks[i].Text, quotedBytes), "\n") {
			line = strings.TrimSpace(line)
			if isHeading(line) {
				continue
			}
			if words, _ := wordsLine(line); strings.Trim(words, "-=*_`|") != "" {
				return words
			}
		}
	}
	return FirstWords(m)
}

// quotedBytes is the number of bytes of a text that AnswerWords examines.
const quotedBytes = 4 << 10

// isHeading reports whether a line is a Markdown heading: # marks, or a completely bold line.
func isHeading(line string) bool {
	marks := strings.TrimLeft(line, "#")
	if len(line)-len(marks) <= 6 && strings.HasPrefix(marks, " ") {
		return true
	}
	bold, ok := strings.CutPrefix(strings.TrimSuffix(line, ":"), "**")
	inside, closed := strings.CutSuffix(strings.TrimSuffix(bold, ":"), "**")
	return ok && closed && !strings.Contains(inside, "**")
}

// lineOf returns the line of a text of a message, and the number of its lines. Programs put tags
// around their notes for the model.
func lineOf(m *model.Message, s string) (line string, lines int) {
	if kind, _ := KindOf(m); kind == LineInjected || kind == LineSystem {
		return injectedLine(s)
	}
	return wordsLine(s)
}

// wordsLine is FirstLine for prose, without Markdown signs.
func wordsLine(s string) (line string, lines int) {
	line, lines = FirstLine(s)
	if line == "{" || line == "[" { // the beginning of an object says nothing
		line = human.OneLine(s, LineMax)
	}
	plain := PlainMarkdown(line)
	if strings.Trim(plain, "-=*_") == "" || strings.HasPrefix(line, "```") && !strings.Contains(line, " ") {
		// a rule or a fence, also with a language: the line below it
		if _, rest, ok := strings.Cut(strings.TrimLeft(s, " \t\r\n"), "\n"); ok {
			if below, n := FirstLine(rest); below != "" {
				return PlainMarkdown(below), n + 1
			}
		}
	}
	return plain, lines
}

var lineWords = [...]string{"user", "assistant", "reasoning", "system", "injected", "call", "result", "media", "other", "event", "unreadable", ""}

// String returns the word for rows of the kind.
func (k LineKind) String() string { return model.NameOf(lineWords[:], k, "") }

// KindOf returns the kind of a row with the words of a message, and its word. Words next
// to results are context from the program.
func KindOf(m *model.Message) (LineKind, string) {
	switch {
	case m.Flags&model.Injected != 0, m.Role == model.Tool && m.Flags&model.HasResults != 0:
		return LineInjected, "injected"
	case m.Role == model.User:
		return LineUser, "user"
	case m.Role == model.Assistant:
		return LineAssistant, "assistant"
	case m.Role == model.System:
		return LineSystem, "system"
	case m.Role == model.Developer:
		return LineSystem, "developer"
	case m.Name != "":
		return LineOther, human.OneLine(m.Name, 40)
	}
	return LineOther, m.Role.String()
}

// words describes a block of text, reasoning or media of a message. A text of only white space has
// neither About nor Outcome, and no row.
func (d Describer) words(m *model.Message, block int) Line {
	b := &m.Blocks[block]
	line := Line{Block: block, Call: model.CallID(model.NoRow)}
	line.Kind, line.Word = KindOf(m)
	switch b.Kind {
	case model.Reasoning:
		line.Kind, line.Word = LineReasoning, "reasoning"
		line.About, line.Lines = wordsLine(b.Text)
		if line.About == "" {
			line.About = NoReasoning(b)
		}
		line.warn(b.Text)
		return line
	case model.Media:
		line.Kind, line.Word = LineMedia, mediaWord(b)
		line.About = cmp.Or(human.OneLine(b.Name, 60), "media")
		for _, place := range placesOf(b) {
			line.About += "  " + human.OneLine(place, 200)
		}
		line.Outcome = mediaSize(b)
		return line
	case model.OtherBlock:
		line.Kind, line.Word = LineOther, human.OneLine(b.Name, 40)
		line.Word = cmp.Or(line.Word, "other")
		line.About, line.Lines = FirstLine(b.Text)
		if line.About == "" && b.Size > 0 {
			line.About = model.SizeOf(b.Size)
		}
		line.warn(b.Text)
		return line
	}
	if b.Name == model.DocumentText {
		line.Kind, line.Word = LineMedia, b.Name
	}
	line.About, line.Lines = lineOf(m, b.Text)
	if line.About != "" {
		line.State, line.Outcome = d.flagsOf(m)
		line.Outcome = joined(line.Outcome, human.OneLine(strings.TrimPrefix(strings.TrimPrefix(Circumstance(b), model.DocumentText), " · "), 100))
		line.warn(b.Text)
	}
	return line
}

// mediaWord returns the type of a media block in one word.
func mediaWord(b *model.Content) string {
	switch kind, _, _ := strings.Cut(b.Name, "/"); {
	case kind == "image" || kind == "audio" || kind == "video":
		return kind
	case b.Width > 0:
		return "image"
	}
	return "file"
}

// MediaText describes a block of media: its type, and its size or its place.
func MediaText(b *model.Content) string {
	text := cmp.Or(human.OneLine(b.Name, 60), "media")
	if size := mediaSize(b); size != "" {
		text += ", " + size
	}
	for _, place := range placesOf(b) {
		text += ", " + human.OneLine(place, 300)
	}
	return text
}

// placesOf returns the recorded name and place of an image, a sound or a file.
func placesOf(b *model.Content) []string {
	var places []string
	for _, x := range b.Extra {
		if x.Name == "name" {
			places = append(places, x.Value)
		}
	}
	if b.Elsewhere == "" {
		if place := placeIn(b); place != "" {
			places = append(places, place)
		}
		return places
	}
	if b.Text != "" && b.Text != b.Elsewhere && len(b.Text) < 200 {
		places = append(places, b.Text) // a name
	}
	return append(places, b.Elsewhere)
}

// mediaSize returns the size of an image, a sound or a file, for an image also in pixels; "" if
// only its place is known.
func mediaSize(b *model.Content) string {
	if placeIn(b) != "" {
		return ""
	}
	data := b.Text
	if b.Elsewhere != "" {
		data = "" // a name or a place
	}
	if head := data[:min(len(data), 256)]; strings.HasPrefix(head, "data:") {
		data = data[strings.IndexByte(head, ',')+1:]
	}
	text := ""
	if size := max(b.Size, int64(len(data))*3/4); size > 0 {
		text = model.SizeOf(size)
	}
	w, h := b.Width, b.Height
	if w == 0 {
		w, h = model.Pixels([]byte(data))
	}
	if w > 0 {
		text = strings.TrimSuffix(plain(w)+"×"+plain(h)+", "+text, ", ")
	}
	return text
}

// placeIn returns the text of a media block if it is a URL, a path or an id instead of data,
// otherwise "".
func placeIn(b *model.Content) string {
	head := b.Text[:min(len(b.Text), 30)]
	switch {
	case b.Size > 0, strings.HasPrefix(head, "data:"), b.JSON:
		return ""
	case strings.Contains(head, ":"), len(b.Text) < 100 && (len(b.Text)%4 != 0 || strings.ContainsAny(b.Text, "-_. ")):
		return b.Text
	}
	return ""
}

// flagsOf returns the outcome of a message, the most important first, and its later fate.
func (d Describer) flagsOf(m *model.Message) (model.Outcome, string) {
	state, text := endOf(m)
	return state, joined(text, Fate(m))
}

// endOf returns the outcome of a message, or how it was made.
func endOf(m *model.Message) (model.Outcome, string) {
	f := m.Flags
	switch {
	case f&model.APIError != 0:
		return model.Failure, ""
	case f&model.Interrupted != 0 || m.Stop == model.StopAborted:
		if m.Role == model.User {
			return model.Stopped, ""
		}
		return model.Stopped, "interrupted by the user"
	case f&model.Refused != 0 || m.Stop == model.StopRefusal:
		return model.Failure, "refused"
	case f&model.Truncated != 0 || m.Stop == model.StopLength:
		return model.Half, "cut at the limit"
	case m.Stop == model.StopError:
		return model.Failure, "ended in an error"
	case f&model.Partial != 0:
		return model.Running, "still being written"
	case f&model.Queued != 0:
		return model.Unknown, "typed while the agent worked"
	case f&model.Recap != 0:
		return model.Unknown, "summary"
	case f&model.Inherited != 0:
		return model.Unknown, "inherited"
	}
	return model.Unknown, ""
}

// Fate describes how a message was invalidated or replaced later, "" if it is valid.
func Fate(m *model.Message) string {
	by := func(s string) string {
		if m.By != "" {
			return s + " by " + human.OneLine(m.By, 60)
		}
		return s
	}
	f := m.Flags
	switch {
	case f&model.Invalidated != 0:
		return by("invalidated")
	case f&model.Superseded != 0:
		return by("superseded")
	case f&model.Redacted != 0 && !hasRedacted(m):
		return "redacted"
	case f&model.Compacted != 0:
		return "cleared to save context"
	case f&model.Archived != 0:
		return "archived"
	}
	return ""
}

// Circumstance returns the recorded fields of a text, such as the context in which it was written,
// and whether it is an attached document; "" if there are none.
func Circumstance(b *model.Content) string {
	if b.Kind != model.Words {
		return ""
	}
	var facts []string
	if b.Name == model.DocumentText {
		facts = append(facts, b.Name)
	}
	for _, note := range query.Notes(b) {
		facts = append(facts, strings.TrimPrefix(note.Name, "interaction_")+": "+note.Value)
	}
	return strings.Join(facts, " · ")
}

// NoReasoning returns why a block of reasoning has no text: it is redacted, encrypted or not
// recorded.
func NoReasoning(b *model.Content) string {
	switch {
	case strings.HasPrefix(b.Name, "redacted"):
		return "redacted"
	case b.Size > 0:
		return "encrypted, " + model.SizeOf(b.Size)
	case strings.HasSuffix(b.Name, "encrypted"):
		return "encrypted"
	}
	return "not recorded"
}

// hasRedacted reports whether the message has redacted reasoning, whose row shows that.
func hasRedacted(m *model.Message) bool {
	return slices.ContainsFunc(m.Blocks, func(b model.Content) bool {
		return b.Kind == model.Reasoning && strings.HasPrefix(b.Name, "redacted")
	})
}

// joined joins two remarks; either may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}

// injectedLine summarizes a text that a program wrote: the name of the tag at its beginning, and
// the first words in it.
func injectedLine(s string) (string, int) {
	if terminal, ok := cutTerminal(s); ok && terminal != "" {
		s = terminal
	}
	line, lines := FirstLine(s)
	name, rest, ok := strings.Cut(strings.TrimPrefix(line, "<"), ">")
	if !strings.HasPrefix(line, "<") || !ok || name == "" || strings.ContainsAny(name[:1], "/!? ") {
		return wordsLine(s)
	}
	if word, _, _ := strings.Cut(name, " "); strings.Contains(name, "=") {
		name = word // without its attributes
	}
	rest, _, _ = strings.Cut(rest, "</"+name)
	if rest = strings.TrimSpace(rest); rest == "" {
		_, below, _ := strings.Cut(strings.TrimLeft(s, " \t\r\n"), "\n")
		rest, _ = wordsLine(below)
	}
	if rest == "" || strings.HasPrefix(rest, "</") {
		return name, lines
	}
	return name + ": " + PlainMarkdown(rest), lines
}

// Note describes bookkeeping, a rule or an unreadable record.
func (d Describer) Note(m *model.Message) Line {
	line := Line{Kind: LineEvent, Word: "event", Block: -1, Call: model.CallID(model.NoRow)}
	kind := human.OneLine(m.Name, 60)
	switch m.Op {
	case model.Unreadable:
		line.Kind, line.Word, line.State = LineUnreadable, "unreadable", model.Failure
		line.About = "record could not be read"
		if m.Err != nil {
			line.About = human.OneLine(m.Err.Error(), LineMax)
		}
		size := 0
		for i := range m.Records {
			size += len(m.Records[i].Data)
		}
		if size > 0 {
			line.Outcome = model.SizeOf(int64(size))
		}
		return line
	case model.Compact, model.Rewind, model.Reset, model.End, model.Retract:
		line.Kind, line.Word = LineRule, ""
		line.About = d.rule(m, kind)
		if m.Op == model.End && m.Flags&(model.APIError) != 0 {
			line.State = model.Failure
		}
		return line
	}
	line.About = kind
	if line.About == "" {
		line.About = OpNames[m.Op]
	}
	if words := FirstWords(m); words != "" {
		line.About += ": " + words
	} else if fields := fieldsLine(m.Extra); fields != "" {
		line.About += ": " + fields
	}
	return line
}

// fieldsLine returns a few fields in one line.
func fieldsLine(extra []model.KeyValue) string {
	var parts []string
	for _, kv := range extra {
		if value := human.OneLine(kv.Value, 60); value != "" && len(parts) < otherMax {
			parts = append(parts, human.OneLine(kv.Name, 40)+"="+value)
		}
	}
	return strings.Join(parts, " ")
}

// FoldedNotes describes neighbouring notes as one row: kinds with their counts, in the order of
// counts.
func FoldedNotes(counts []EventCount) Line {
	parts := make([]string, 0, len(counts))
	for _, c := range counts {
		parts = append(parts, human.Count(c.Count)+" "+human.OneLine(c.Kind, 40))
	}
	return Line{Kind: LineEvent, Word: "event", About: strings.Join(parts, ", "), Block: -1, Call: model.CallID(model.NoRow)}
}

// EventCount is the number of bookkeeping records of a kind.
type EventCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// OpNames are the names of bookkeeping without a recorded kind.
var OpNames = [...]string{
	"message", "note", "unreadable", "reset", "rewind", "retraction", "compaction", "life", "branch", "agent", "usage", "about", "end",
}
