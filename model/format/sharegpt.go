package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// shareGPTFormat is training data in the manner of ShareGPT: conversations of turns
// with from and value, a list or a line each. Multimodal data of LLaMA-Factory,
// which has messages with <image> in them and the images beside, is read as well.
func shareGPTFormat() *model.Format {
	return &model.Format{
		Name:   "sharegpt",
		Title:  "ShareGPT training data",
		Detect: shareGPTDetect,
		Lists: func(m model.Match) []string {
			if m.Variant == evalList {
				return []string{wholeList}
			}
			return nil
		},
		Parse: func(rec model.Record, fs *model.Facts) error {
			r := evalOpen(rec)
			for r.next(fs) {
				shareGPTConversation(&r.c, r.session, fs)
			}
			return r.close(fs)
		},
	}
}

func shareGPTDetect(s *model.Sample) model.Match {
	v, ok := evalVariant(s, func(v []byte) bool {
		for _, name := range [...]string{"conversations", "conversation", "items"} {
			if evalHas(evalFirst(evalAt(v, name)), "from", "value") {
				return true
			}
		}
		return false
	})
	if ok {
		return model.Match{Score: 88, Variant: v, Reason: "conversations of turns with from and value"}
	}
	v, ok = evalVariant(s, func(v []byte) bool {
		if !evalHas(v, "messages") || !evalHas(evalFirst(evalAt(v, "messages")), "role", "content") {
			return false
		}
		for _, name := range [...]string{"images", "videos", "audios"} {
			if jsonspan.KindOf(evalAt(v, name)) == jsonspan.Array {
				return bytes.Contains(v, []byte("<image>")) || bytes.Contains(v, []byte("<video>")) || bytes.Contains(v, []byte("<audio>"))
			}
		}
		return false
	})
	if ok {
		return model.Match{Score: 78, Variant: v, Reason: "messages with <image> and a list of images beside them"}
	}
	return model.Match{}
}

// shareGPTMedia is the images, videos and sounds of a conversation, each before the
// first that no turn has named yet.
type shareGPTMedia [3]jsonspan.Cursor

// shareGPTMarks mark the places of the media in a text.
var shareGPTMarks = [...]struct{ mark, kind string }{{"<image>", "image"}, {"<video>", "video"}, {"<audio>", "audio"}}

func shareGPTList(v []byte) jsonspan.Cursor {
	list := jsonspan.New(v)
	list.Array()
	return list
}

// shareGPTTalk is a conversation that is being said.
type shareGPTTalk struct {
	fs      *model.Facts
	session model.Key
	media   shareGPTMedia
	marked  []shareGPTMarked
}

// shareGPTMarked is a turn whose text marks the places of media, and its fact.
type shareGPTMarked struct {
	fact  int
	value []byte
}

func shareGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f, rest := evalHead(fs, session, "conversation")
	t := shareGPTTalk{fs: fs, session: session}
	var system []byte
	var preferred [2][]byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "conversations", "conversation", "messages", "items":
			fs.Cut(at + 2)
			t.turns(c)
			f, rest = evalHeadAt(fs, at)
		case "id":
			keep(f, "session", c.Skip())
		case "system":
			system = c.Skip()
		case "images":
			t.media[0] = shareGPTList(c.Skip())
		case "videos":
			t.media[1] = shareGPTList(c.Skip())
		case "audios":
			t.media[2] = shareGPTList(c.Skip())
		case "chosen":
			preferred[0] = c.Skip()
		case "rejected":
			preferred[1] = c.Skip()
		default:
			keepField(rest, c)
		}
	}
	for _, m := range t.marked { // the lists of the media may stand behind the turns
		shareGPTPlace(fs.At(m.fact), m.value, &t.media)
	}
	if !isEmpty(system) {
		s := fs.Add(model.Say)
		s.Role, s.Session = model.System, session
		addContent(s, system)
		fs.Move(fs.Len()-1, at+2)
	}
	evalHeadDone(fs, at)
	for i, v := range preferred { // of data for preferences: two answers
		if jsonspan.KindOf(v) == jsonspan.Object {
			answer, from := jsonspan.New(v), fs.Len()
			t.turn(&answer)
			if i == 1 && fs.Len() > from {
				fs.At(from).Flags |= model.Superseded
			}
		}
	}
}

// turns says the turns of a list.
func (t *shareGPTTalk) turns(c *jsonspan.Cursor) {
	before, from := *c, t.fs.Len()
	t.marked = t.marked[:0]
	for c.Array(); c.More(); {
		t.turn(c)
	}
	if c.Err == nil {
		return
	}
	t.marked = t.marked[:0] // their facts are taken back
	if one, ok := readAgain(c, before, t.fs, from); ok {
		for one.Array(); one.More(); {
			t.turn(&one)
		}
	}
}

// turn says a turn.
func (t *shareGPTTalk) turn(list *jsonspan.Cursor) {
	at := t.fs.Len()
	f := t.fs.Add(model.Say)
	f.Session = t.session
	var who, value, content []byte
	c := *list
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "from":
			who = c.String()
		case "value":
			value = c.Skip()
		default:
			name, v := c.Name, c.Skip()
			if keepNamed(f, name, v); string(name) == "content" {
				content = v
			}
		}
	}
	if who == nil || value == nil || c.Err != nil {
		t.fs.Drop()
		if evalMessage(list, t.session, t.fs); t.fs.Len() > at {
			t.mark(at, content)
		}
		return
	}
	*list = c
	shareGPTSay(f, who, value)
	t.mark(at, value)
}

// mark remembers a turn whose text may mark the places of media.
func (t *shareGPTTalk) mark(fact int, value []byte) {
	text := inside(value)
	for {
		at := bytes.IndexByte(text, '<')
		if at < 0 {
			return
		}
		text = text[at:]
		for i := range shareGPTMarks {
			if hasPrefix(text, shareGPTMarks[i].mark) {
				t.marked = append(t.marked, shareGPTMarked{fact, value})
				return
			}
		}
		text = text[1:]
	}
}

// shareGPTSay says what somebody said.
func shareGPTSay(f *model.Fact, who, value []byte) {
	f.Role = shareGPTRole(who)
	text := model.ValueText(value)
	switch {
	case string(who) == "function_call", string(who) == "tool_call":
		b := f.Add(model.ToolCall)
		b.Name, b.Text = callInString(inside(value))
	case f.Role == model.Tool:
		if inner := text.TrimSpace(); hasPrefix(inner.Raw(), "<tool_response>") {
			evalWords(f, text)
		} else {
			addResult(f, model.Text{}, model.Text{}, value, model.Unknown)
		}
	case f.Role == model.Assistant && isString(value):
		evalWords(f, text)
	case f.Role == model.Other:
		f.Name = model.EscapedText(who)
		addContent(f, value)
	default:
		addContent(f, value)
	}
}

func shareGPTRole(who []byte) model.Role {
	switch string(who) {
	case "function_call", "tool_call", "chatgpt", "bing", "bard", "claude", "llm":
		return model.Assistant
	case "observation", "tool", "function_response", "tool_response", "function":
		return model.Tool
	case "prompter":
		return model.User
	}
	return speakerRole(who)
}

// shareGPTPlace adds the media that a turn's text marks the places of.
func shareGPTPlace(f *model.Fact, value []byte, media *shareGPTMedia) {
	for i := range media {
		list := &media[i]
		if list.Buf == nil {
			continue
		}
		for range bytes.Count(inside(value), []byte(shareGPTMarks[i].mark)) {
			if list.Err != nil || !list.More() {
				break
			}
			addMedia(f, model.Text{}, mediaTypes[shareGPTMarks[i].kind], list.Skip())
		}
	}
}
