package gptme

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads conversations of gptme: one message per line, with times without a zone. Calls
// are part of the assistant's text. Their output is a message of the system or a tool; without
// an id, it answers the calls in order.
func Format() *model.Format {
	return &model.Format{
		Name:   "gptme",
		Title:  "gptme conversation",
		Where:  []string{"~/.local/share/gptme/logs/*/conversation.jsonl"},
		Detect: gptmeDetect,
		Parse:  gptmeParse,
	}
}

func gptmeDetect(s *model.Sample) model.Match {
	if s.Shape != model.Lines {
		return model.Match{}
	}
	marks := 0
	for _, line := range s.Records {
		role, content, at := false, false, false
		c := jsonspan.New(line)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "role":
				role = kit.ExactRole(c.String())
				continue
			case "content":
				content = c.Kind() == jsonspan.String
			case "timestamp":
				v := c.Skip()
				m := kit.ParseISO(kit.Inside(v))
				at = m.Ms != 0
				if at && !m.Zoned && len(v) > 20 {
					marks++
				}
				continue
			case "pinned", "hide", "quiet":
				marks += 2
			case "metadata":
				if kit.HasKey(c.Skip(), "model") {
					marks += 2
				}
				continue
			case "files", "call_id", "file_hashes":
			default:
				return model.Match{}
			}
			c.Skip()
		}
		if !role || !content || !at {
			return model.Match{}
		}
	}
	if marks <= len(s.Records) || len(s.Records) == 0 {
		return model.Match{}
	}
	return model.Match{Score: 74, Reason: "messages with role, content and a time without zone, pinned, hidden or with metadata"}
}

func gptmeParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var content, callID, metadata []byte
	pinned := false
	fields := kit.Fields{
		kit.Raw("content", &content), kit.Time("timestamp", &f.Time), kit.Raw("call_id", &callID),
		kit.Raw("metadata", &metadata),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
		case "pinned":
			v := c.Skip()
			pinned = kit.IsTrue(v)
			kit.Keep(f, "pinned", v)
		case "hide":
			if c.Bool() {
				f.Flags |= model.Hidden
			}
		case "files":
			v := c.Skip()
			for part := range jsonspan.List(v) {
				kit.AddMedia(f, model.Text{}, kit.MediaType("file"), part)
			}
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	gptmeMetadata(f, metadata)
	text := model.ValueText(content)
	switch {
	case f.Role == model.Tool, f.Role == model.System && (!kit.IsNull(callID) || !pinned && f.Flags&model.Hidden == 0 && gptmeIsResult(text)):
		f.Role = model.Tool
		kit.AddResult(f, model.ValueText(callID), model.Text{}, content, gptmeOutcome(text))
		return kit.Finish(&c, fs)
	case f.Role == model.Assistant && kit.IsString(content):
		GptmeCalls(f, text)
		return kit.Finish(&c, fs)
	}
	kit.AddContent(f, content)
	if f.Role == model.User {
		kit.SplitUserRecord(fs)
	}
	return kit.Finish(&c, fs)
}

func gptmeMetadata(f *model.Fact, v []byte) {
	if kit.IsEmpty(v) {
		return
	}
	u, seen := kit.NoUsage(model.Each), false
	fields := kit.Fields{kit.Text("model", &f.Model), kit.Cost("cost", &u)}
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		if string(c.Name) == "usage" {
			usage := c.Skip()
			seen = seen || jsonspan.KindOf(usage) == jsonspan.Object && !kit.IsEmpty(usage)
			kit.ReadObject(usage, kit.Count("input_tokens", &u.Input), kit.Count("output_tokens", &u.Output),
				kit.Count("cache_read_tokens", &u.CacheRead), kit.Count("cache_creation_tokens", &u.CacheWrite))
		} else {
			fields.ReadOrKeep(f, &c)
		}
	}
	if seen || u.HasCost {
		f.Usage = u
	}
}
