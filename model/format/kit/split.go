package kit

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// The classes of blocks in a user's message.
const (
	userResults = iota
	userInjected
	userWords
	userClasses
)

func userClass(b *model.Block) int {
	switch {
	case b.Kind == model.ToolResult, b.Kind == model.Media && !b.ID.Absent():
		return userResults
	case b.Kind == model.Words && IsInjected(b.Text):
		return userInjected
	}
	return userWords
}

// SplitUser splits the last fact, a user's message: tool results get the role of the tool, text
// that a program injected is marked, and the rest remains the user's. Without words of the user,
// injected text stays with the results that the program sent it with.
func SplitUser(fs *model.Facts) {
	f := fs.Last()
	var count [userClasses]int
	for i := range f.Blocks {
		count[userClass(&f.Blocks[i])]++
	}
	if count[userResults] == 0 && count[userInjected] == 0 {
		return
	}
	if count[userWords] == 0 {
		if count[userResults] > 0 {
			setUserClass(f, userResults)
		} else {
			setUserClass(f, userInjected)
		}
		return
	}
	blocks, extra, base := slices.Clone(f.Blocks), slices.Clone(f.Extra), *f
	fs.Drop()
	for class := range count {
		if count[class] == 0 {
			continue
		}
		g := fs.Add(model.Say)
		g.Role, g.Flags, g.Session, g.Thread, g.Time, g.Model = base.Role, base.Flags, base.Session, base.Thread, base.Time, base.Model
		if g.Key = base.Key; class != userWords && base.Key != 0 {
			g.Key = base.Key.With([]byte{byte('a' + class)})
		}
		setUserClass(g, class)
		for i := range blocks {
			if userClass(&blocks[i]) == class {
				g.Blocks = append(g.Blocks, blocks[i])
			}
		}
	}
	g := fs.Last()
	g.Extra, g.Usage, g.Name = append(g.Extra, extra...), base.Usage, base.Name
}

func setUserClass(f *model.Fact, class int) {
	switch class {
	case userResults:
		f.Role = model.Tool
	case userInjected:
		f.Flags |= model.Injected
	}
}

// SplitUserRecord splits the last fact, a user's message, into results, injected text and the
// user's words. It numbers the parts in order from the position of the message in its conversation.
func SplitUserRecord(fs *model.Facts) {
	at := fs.Len() - 1
	base := *fs.At(at)
	cutInjected(fs.At(at))
	SplitUser(fs)
	for i := at; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Join, f.Record, f.Parent, f.Seq = base.Join, 0, base.Parent, base.Seq
		switch {
		case base.Parent != 0 && i > at:
			f.Parent = fs.At(i - 1).Key
		case base.Parent == 0 && base.Join == model.Union && i < fs.Len()-1:
			f.Key = 0 // not on a branch, because no record refers to it
		}
		if i == fs.Len()-1 { // other records name this one as their parent
			f.Record = base.Record
		}
	}
}

// cutInjected splits off text that a program put before a user's words, such as
// <system-reminder>…</system-reminder>.
func cutInjected(f *model.Fact) {
	for i := 0; i < len(f.Blocks); i++ {
		b := &f.Blocks[i]
		if b.Kind != model.Words || !IsInjected(b.Text) {
			continue
		}
		end := tagEnd(b.Text)
		if end == 0 {
			continue
		}
		rest := b.Text.Cut(end, b.Text.Size())
		if rest.Blank() {
			continue
		}
		b.Text = b.Text.Cut(0, end)
		f.Blocks = slices.Insert(f.Blocks, i+1, model.Block{Kind: model.Words, Text: rest.TrimSpace()})
	}
}

// UnwrapWords extracts a user's words from the element that an agent puts around them:
// <task>…</task>. Text after the element becomes a separate block.
func UnwrapWords(f *model.Fact, tags []string) {
	for i := 0; i < len(f.Blocks); i++ {
		b := &f.Blocks[i]
		if b.Kind != model.Words {
			continue
		}
		words, rest, ok := unwrapped(b.Text.TrimSpace(), tags)
		if !ok {
			continue
		}
		b.Text = words
		if !rest.Empty() {
			f.Blocks = slices.Insert(f.Blocks, i+1, model.Block{Kind: model.Words, Text: rest})
		}
	}
}

// unwrapped returns the content of the element at the start of a text, and the text after it.
func unwrapped(t model.Text, tags []string) (words, rest model.Text, ok bool) {
	for _, tag := range tags {
		open, shut := "<"+tag+">", "</"+tag+">"
		end := bytes.LastIndex(t.Raw(), []byte(shut))
		if end < 0 || !t.HasPrefix(open) {
			continue
		}
		words = t.Cut(len(open), end).TrimSpace()
		return words, t.Cut(end+len(shut), t.Size()).TrimSpace(), !words.Empty()
	}
	return words, rest, false
}

// tagEnd returns the end of the element at the start of a text, 0 if there is none or it is not
// closed.
func tagEnd(t model.Text) int {
	raw := t.Raw()
	start := bytes.IndexByte(Head(t, 40), '<')
	if start < 0 {
		return 0
	}
	n := bytes.IndexByte(raw[start:min(len(raw), start+60)], '>')
	if n < 0 {
		return 0
	}
	name := raw[start+1 : start+n]
	for at := start + n; ; {
		i := bytes.Index(raw[at:], []byte("</"))
		if i < 0 {
			return 0
		}
		at += i + 2
		if end := at + len(name); bytes.HasPrefix(raw[at:], name) && end < len(raw) && raw[end] == '>' {
			return end + 1
		}
	}
}

// SplitCompaction inserts a Compact before the last fact, a message that starts with the summary of
// the messages that the server removed.
func SplitCompaction(fs *model.Facts) {
	f := fs.Last()
	if len(f.Blocks) == 0 || f.Blocks[0].Kind != model.OtherBlock || !f.Blocks[0].Name.Is("compaction") {
		return
	}
	summary := jsonspan.Get(f.Blocks[0].Text.Raw(), "content")
	copied := *f
	copied.Blocks, copied.Extra = slices.Clone(f.Blocks[1:]), slices.Clone(f.Extra)
	fs.Drop()
	g := fs.Add(model.Compact)
	g.Session = copied.Session
	AddContent(g, summary)
	h := fs.Add(model.Say)
	blocks, extra := append(h.Blocks, copied.Blocks...), append(h.Extra, copied.Extra...)
	*h = copied
	h.Blocks, h.Extra = blocks, extra
}
