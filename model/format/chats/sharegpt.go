package chats

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ShareGPTFormat reads training data in the manner of ShareGPT: conversations of turns with
// from and value, in a list or one per line. It also reads multimodal data of LLaMA-Factory,
// whose messages contain <image>, with the images in a separate list.
func ShareGPTFormat() *model.Format {
	return &model.Format{
		Name:    "sharegpt",
		Highest: 88,
		Title:   "ShareGPT training data",
		Detect:  shareGPTDetect,
		Lists:   kit.EvalLists,
		Parse:   func(rec model.Record, fs *model.Facts) error { return kit.EvalEach(rec, fs, shareGPTConversation) },
	}
}

var shareGPTTurns = kit.Clues(kit.Clue{In: kit.InConversations, Score: 88, Reason: "conversations of turns with from and value",
	Is: kit.Signs{"conversations[0]|conversation[0]|items[0](from & value)"}})

func shareGPTDetect(s *model.Sample) model.Match {
	if m := shareGPTTurns(s); m.Score > 0 {
		return m
	}
	v, ok := kit.EvalVariant(s, []string{"images", "videos", "audios"}, func(v []byte) bool {
		if !kit.EvalHas(v, "messages") || !kit.EvalHas(kit.EvalFirst(kit.EvalAt(v, "messages")), "role", "content") {
			return false
		}
		for _, name := range [...]string{"images", "videos", "audios"} {
			if jsonspan.KindOf(kit.EvalAt(v, name)) == jsonspan.Array {
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

// shareGPTMedia holds the lists of images, videos and sounds of a conversation, each at the first
// entry that no turn has used yet.
type shareGPTMedia [3]jsonspan.Cursor

// any reports whether the conversation has such lists.
func (m *shareGPTMedia) any() bool { return m[0].Buf != nil || m[1].Buf != nil || m[2].Buf != nil }

// shareGPTMarks mark the places of the media in a text.
var shareGPTMarks = [...]struct{ mark, kind string }{{"<image>", "image"}, {"<video>", "video"}, {"<audio>", "audio"}}

func shareGPTList(v []byte) jsonspan.Cursor {
	list := jsonspan.New(v)
	list.Array()
	return list
}

// shareGPTTalk reads one conversation.
type shareGPTTalk struct {
	fs      *model.Facts
	session model.Key
	media   shareGPTMedia
}

func shareGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f, rest := kit.EvalHead(fs, session, "conversation")
	t := shareGPTTalk{fs: fs, session: session}
	var system []byte
	var preferred [2][]byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "conversations", "conversation", "messages", "items":
			fs.Cut(at + 2)
			t.turns(c)
			f, rest = kit.EvalHeadAt(fs, at)
		case "id":
			kit.Keep(f, "session", c.Skip())
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
			kit.KeepField(rest, c)
		}
	}
	if t.media.any() { // the lists may follow the turns
		for i := at + 2; i < fs.Len(); i++ {
			shareGPTPlace(fs.At(i), &t.media)
		}
	}
	if !kit.IsEmpty(system) {
		s := fs.Add(model.Say)
		s.Role, s.Session = model.System, session
		kit.AddContent(s, system)
		fs.Move(fs.Len()-1, at+2)
	}
	kit.EvalHeadDone(fs, at)
	for i, v := range preferred { // two answers, in preference data
		if jsonspan.KindOf(v) == jsonspan.Object {
			answer, from := jsonspan.New(v), fs.Len()
			t.turn(&answer)
			if i == 1 && fs.Len() > from {
				fs.At(from).Flags |= model.Superseded
			}
		}
	}
}

// turns reads the turns of a list.
func (t *shareGPTTalk) turns(c *jsonspan.Cursor) {
	before, from := *c, t.fs.Len()
	for c.Array(); c.More(); {
		t.turn(c)
	}
	if c.Err == nil {
		return
	}
	if one, ok := kit.ReadAgain(c, before, t.fs, from); ok {
		for one.Array(); one.More(); {
			t.turn(&one)
		}
	}
}

// turn reads a turn.
func (t *shareGPTTalk) turn(list *jsonspan.Cursor) {
	f := t.fs.Add(model.Say)
	f.Session = t.session
	var who, value []byte
	c := *list
	fields := kit.Fields{kit.Word("from", &who), kit.Raw("value", &value)}
	for c.Object(); c.Key(); {
		fields.ReadOrKeep(f, &c)
	}
	if who == nil || value == nil || c.Err != nil {
		t.fs.Drop()
		kit.EvalMessage(list, t.session, t.fs)
		return
	}
	*list = c
	shareGPTMessage(f, who, value)
}

// shareGPTMessage fills the message of a turn.
func shareGPTMessage(f *model.Fact, who, value []byte) {
	f.Role = shareGPTRole(who)
	text := model.ValueText(value)
	switch {
	case string(who) == "function_call", string(who) == "tool_call":
		shareGPTCalls(f, kit.Inside(value))
	case f.Role == model.Tool:
		if inner := text.TrimSpace(); kit.HasPrefix(inner.Raw(), "<tool_response>") {
			kit.EvalWords(f, text)
		} else {
			kit.AddResult(f, model.Text{}, model.Text{}, value, model.Unknown)
		}
	case f.Role == model.Assistant && kit.IsString(value):
		kit.EvalWords(f, text)
	case f.Role == model.Other:
		f.Name = model.EscapedText(who)
		kit.AddContent(f, value)
	default:
		kit.AddContent(f, value)
	}
}

// shareGPTCalls adds the call in a text, or the calls of a list.
func shareGPTCalls(f *model.Fact, text []byte) {
	if list := bytes.TrimSpace(text); bytes.HasPrefix(list, []byte("[")) {
		c := jsonspan.New(model.EscapedText(list).Append(nil))
		whole := true
		for c.Array(); c.More(); {
			name, args, ok := kit.CallIn(c.Skip())
			whole = whole && ok
			b := f.Add(model.ToolCall)
			b.Name, b.Text = name, args
		}
		if whole && c.Err == nil && len(f.Blocks) > 0 {
			return
		}
		f.Blocks = f.Blocks[:0]
	}
	b := f.Add(model.ToolCall)
	b.Name, b.Text = kit.CallInString(text)
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
	return kit.SpeakerRole(who)
}

// shareGPTPlace adds the media for which a turn's texts contain marks.
func shareGPTPlace(f *model.Fact, media *shareGPTMedia) {
	for i := range media {
		list := &media[i]
		if list.Buf == nil {
			continue
		}
		marks := 0
		for k := range f.Blocks {
			marks += bytes.Count(f.Blocks[k].Text.Raw(), []byte(shareGPTMarks[i].mark))
		}
		for range marks {
			if list.Err != nil || !list.More() {
				break
			}
			kit.AddMedia(f, model.Text{}, kit.MediaType(shareGPTMarks[i].kind), list.Skip())
		}
	}
}
