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
		Parse: func(rec model.Record, fs *model.Facts) error { return evalEach(rec, fs, shareGPTConversation) },
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

// shareGPTMedia is the images, videos and sounds of a conversation that no turn
// has named yet.
type shareGPTMedia struct {
	mark, kind string
	list       jsonspan.Cursor
}

func shareGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.About)
	f.Session = session
	var rest evalRest
	var turns, system []byte
	var preferred [2][]byte
	var media []shareGPTMedia
	for c.Object(); c.Key(); {
		switch name := string(c.Name); name {
		case "conversations", "conversation", "messages", "items":
			turns = c.Skip()
		case "id":
			keep(f, "session", c.Skip())
		case "system":
			system = c.Skip()
		case "images", "videos", "audios":
			list := jsonspan.New(c.Skip())
			list.Array()
			kind := name[:len(name)-1]
			media = append(media, shareGPTMedia{"<" + kind + ">", kind, list})
		case "chosen":
			preferred[0] = c.Skip()
		case "rejected":
			preferred[1] = c.Skip()
		default:
			name := c.Name
			rest.keep(name, c.Skip())
		}
	}
	rest.note(fs, session, "conversation")
	if !isEmpty(system) {
		s := fs.Add(model.Say)
		s.Role, s.Session = model.System, session
		addContent(s, system)
	}
	list := jsonspan.New(turns)
	for list.Array(); list.More(); {
		shareGPTTurn(list.Skip(), session, media, fs)
	}
	for i, v := range preferred { // of data for preferences: two answers
		if jsonspan.KindOf(v) == jsonspan.Object {
			from := shareGPTTurn(v, session, nil, fs)
			if i == 1 {
				fs.At(from).Flags |= model.Superseded
			}
		}
	}
}

// shareGPTTurn says a turn; what came of it begins at the given fact.
func shareGPTTurn(v []byte, session model.Key, media []shareGPTMedia, fs *model.Facts) (from int) {
	from = fs.Len()
	f := fs.Add(model.Say)
	f.Session = session
	var who, value []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "from":
			who = c.String()
		case "value":
			value = c.Skip()
		default:
			keepField(f, &c)
		}
	}
	if who == nil || value == nil {
		fs.Drop()
		evalMessage(v, session, fs)
		shareGPTPlace(fs.At(from), jsonspan.Get(v, "content"), media)
		return from
	}
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
	shareGPTPlace(f, value, media)
	return from
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
func shareGPTPlace(f *model.Fact, value []byte, media []shareGPTMedia) {
	for i := range media {
		m := &media[i]
		for range bytes.Count(inside(value), []byte(m.mark)) {
			if m.list.Err != nil || !m.list.More() {
				break
			}
			addMedia(f, model.Text{}, mediaTypes[m.kind], m.list.Skip())
		}
	}
}
