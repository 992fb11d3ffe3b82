package prose

import (
	"bytes"
	"cmp"
	"html"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
)

var (
	attribute = lazy(`([a-zA-Z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	spaces    = lazy(`[ \t\r\n]+`)
)

// lookForPages finds the elements of a page whose attributes or names show their speaker.
func lookForPages(text []byte) *layout {
	head := bytes.ToLower(text[:min(len(text), 1024)])
	if !bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<!doctype html")) && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		return nil
	}
	type tally struct{ users, assistants int }
	count, order := map[string]*tally{}, []string(nil)
	for t := (tags{text: text}); t.next(); {
		for mark, role := range t.marks() {
			if count[mark] == nil {
				count[mark] = &tally{}
				order = append(order, mark)
			}
			switch role {
			case model.User:
				count[mark].users++
			case model.Assistant:
				count[mark].assistants++
			}
		}
	}
	best := ""
	for _, mark := range order {
		if c := count[mark]; c.users > 0 && c.assistants > 0 && (best == "" || rank(mark) > rank(best)) {
			best = mark
		}
	}
	if best == "" {
		return nil
	}
	p := pages{best}
	return &layout{"elements of a page that name a speaker", true, p.cut, p.appendTo}
}

// rank returns how certain a mark is: attributes for speakers rank above classes.
func rank(mark string) int {
	switch {
	case strings.Contains(mark, "role"), strings.Contains(mark, "author"):
		return 3
	case strings.HasPrefix(mark, "data-"):
		return 2
	}
	return 1
}

// tags iterates over the tags of a page. Comments, scripts and styles are tags without a name.
type tags struct {
	text       []byte
	start, end int // offsets of the tag
	name       string
	closing    bool
	absent     string // end markers of skipped parts that do not occur any more
}

// unread are elements without text for readers.
var unread = []string{"script", "style", "svg", "button", "head", "title"}

// next moves to the next tag.
func (t *tags) next() bool {
	for {
		at := bytes.IndexByte(t.text[t.end:], '<')
		if at < 0 {
			return false
		}
		at += t.end
		if t.start = at; bytes.HasPrefix(t.text[at:], []byte("<!--")) && t.pass("-->") {
			t.name, t.closing = "", false
			return true
		}
		n := bytes.IndexByte(t.text[at:], '>')
		if n < 0 {
			return false
		}
		inside := t.text[at+1 : at+n]
		t.end, t.closing = at+n+1, bytes.HasPrefix(inside, []byte("/"))
		inside = bytes.TrimPrefix(inside, []byte("/"))
		t.name = strings.ToLower(string(inside[:len(inside)-len(bytes.TrimLeft(inside, letters))]))
		switch {
		case t.name == "" || t.name[0] >= '0' && t.name[0] <= '9' || t.name[0] == '-':
			t.end = at + 1
			continue
		case !t.closing && slices.Contains(unread, t.name) && t.pass("</"+t.name):
			t.name = ""
		}
		return true
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

// pass moves after the end marker of a skipped part; false if there is none.
func (t *tags) pass(end string) bool {
	if strings.Contains(t.absent, end+" ") {
		return false
	}
	n := bytes.Index(t.text[t.start:], []byte(end))
	if n < 0 {
		t.absent += end + " "
		return false
	}
	if t.end = t.start + n + len(end); end != "-->" {
		if close := bytes.IndexByte(t.text[t.end:], '>'); close >= 0 {
			t.end += close + 1
		}
	}
	return true
}

// marks returns the attributes of the tag that name a speaker, and the tag's name as "<".
func (t *tags) marks() map[string]model.Role {
	if t.closing || t.name == "" {
		return nil
	}
	var found map[string]model.Role
	add := func(mark, words string) {
		if role := speakerIn(words); role != model.NoRole {
			if found == nil {
				found = map[string]model.Role{}
			}
			found[mark] = role
		}
	}
	if strings.Contains(t.name, "-") {
		add("<", t.name)
	}
	for _, a := range attribute().FindAllSubmatch(t.text[t.start:t.end], -1) {
		add(strings.ToLower(string(a[1])), string(a[2])+string(a[3]))
	}
	return found
}

// speakerIn returns the speaker that the words of an attribute name: a single word, or one combined
// with a word for messages.
func speakerIn(words string) model.Role {
	if len(words) > 200 {
		return model.NoRole
	}
	for word := range strings.FieldsSeq(words) {
		low := strings.ToLower(word)
		if role, ok := model.ParseRole(low); ok && role != model.Tool {
			return role
		}
		for _, part := range [...]string{"message", "msg", "turn", "query", "response", "prompt", "bubble", "chat", "from", "content"} {
			low = strings.ReplaceAll(low, part, "")
		}
		if low = strings.Trim(low, "-_"); low == strings.ToLower(word) {
			continue
		}
		switch described.ClassOf(low) {
		case described.User:
			return model.User
		case described.Assistant:
			return model.Assistant
		}
	}
	return model.NoRole
}

// pages are the elements of a page with a mark.
type pages struct{ mark string }

// start returns the offset of the next element with a speaker.
func (p pages) start(text []byte) (at int, role model.Role) {
	for t := (tags{text: text}); t.next(); {
		if role := t.marks()[p.mark]; role != model.NoRole {
			return t.start, role
		}
	}
	return -1, model.NoRole
}

// cut cuts before the next such element.
func (p pages) cut(text []byte, eof bool) ([]byte, int) {
	from := 0
	if at, _ := p.start(text); at == 0 {
		from = 1
	}
	if at, _ := p.start(text[from:]); at >= 0 {
		return text[:from+at], from + at
	}
	if eof {
		return text, len(text)
	}
	return nil, 0
}

// appendTo appends an element as a message.
func (p pages) appendTo(dst, piece []byte) []byte {
	at, role := p.start(piece)
	if at != 0 {
		return dst
	}
	return message(dst, role.String(), textOf(element(piece)))
}

// element returns the element at the beginning of a text, without the text after it.
func element(text []byte) []byte {
	name, depth := "", 0
	for t := (tags{text: text}); t.next(); {
		name = cmp.Or(name, t.name)
		if t.name != name || text[t.end-2] == '/' {
			continue
		}
		if !t.closing {
			depth++
		} else if depth--; depth == 0 {
			return text[:t.end]
		}
	}
	return text
}

// blocks maps elements that start a line or a paragraph to the corresponding text.
var blocks = map[string]string{"p": "\n\n", "div": "\n", "br": "\n", "li": "\n- ", "pre": "\n\n", "h1": "\n\n", "h2": "\n\n", "h3": "\n\n", "h4": "\n\n", "tr": "\n", "td": " ", "th": " ", "ul": "\n", "ol": "\n", "blockquote": "\n\n"}

// textOf returns the text of an element, with its paragraphs.
func textOf(element []byte) []byte {
	var b strings.Builder
	pre := 0
	put := func(text []byte) {
		if pre == 0 {
			text = spaces().ReplaceAll(text, []byte(" "))
		}
		b.WriteString(html.UnescapeString(string(text)))
	}
	from := 0
	for t := (tags{text: element}); t.next(); {
		put(element[from:t.start])
		from = t.end
		switch {
		case t.name == "pre" && !t.closing:
			pre++
		case t.name == "pre" && pre > 0:
			pre--
		}
		if text := blocks[t.name]; !t.closing {
			b.WriteString(text)
		} else if strings.HasPrefix(text, "\n\n") {
			b.WriteString("\n")
		}
	}
	put(element[from:])
	return lines(b.String())
}

// lines removes white space at the ends of lines, and repeated empty lines.
func lines(text string) []byte {
	var out []byte
	empty := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.TrimSpace(line) == "" {
			empty++
			continue
		}
		if len(out) > 0 {
			out = append(out, '\n')
			if empty > 0 {
				out = append(out, '\n')
			}
		}
		out, empty = append(out, line...), 0
	}
	return out
}
