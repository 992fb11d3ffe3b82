package format

import (
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// vibeFormat is a session of Mistral Vibe: messages as OpenAI's API has them with
// message_id and injected beside, and meta.json with what is known of the session.
func vibeFormat() *model.Format {
	return &model.Format{
		Name:   "mistral-vibe",
		Title:  "Mistral Vibe session",
		Where:  []string{"~/.vibe/logs/session/*"},
		Detect: vibeDetect,
		Unroll: &model.Unroll{Members: vibeMembers, BriefMembers: vibeBrief},
		Parse:  vibeParse,
	}
}

const (
	vibeMessages = "messages.jsonl"
	vibeMeta     = "meta.json"
)

func vibeMembers(names []string) []string {
	var out []string
	for _, name := range [...]string{vibeMeta, vibeMessages} {
		if slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	return out
}

// vibeBrief is what is known of the session without its messages.
func vibeBrief(names []string) []string {
	return slices.DeleteFunc(vibeMembers(names), func(name string) bool { return name == vibeMessages })
}

func vibeDetect(s *model.Sample) model.Match {
	if s.Shape == model.Folder {
		if slices.Contains(s.Names, vibeMessages) && slices.Contains(s.Names, vibeMeta) {
			return model.Match{Score: 80, Reason: "a folder with messages.jsonl and meta.json"}
		}
		return model.Match{}
	}
	if doc := sampleDocument(s); doc != nil && hasKey(doc, "session_id") && jsonspan.Get(doc, "stats", "session_prompt_tokens") != nil {
		return model.Match{Score: 80, Reason: "a session's description with session_id and stats"}
	}
	return mostLines(s, 88, "messages with message_id and injected", func(line []byte) bool {
		return hasKey(line, "injected") && hasKey(line, "message_id") && jsonspan.GetString(line, "role") != nil
	})
}

func vibeParse(rec model.Record, fs *model.Facts) error {
	if rec.List == vibeMeta || lookFor(jsonspan.New(rec.Data), "role", "stats") == "stats" && !hasKey(rec.Data, "role") {
		return vibeAbout(rec, fs)
	}
	rec.Variant = chatLines
	first := fs.Len()
	if err := chatParse(rec, fs); err != nil {
		return err
	}
	for i := first; i < fs.Len(); i++ {
		vibeFact(fs.At(i))
	}
	return nil
}

// vibeFact takes what only Vibe writes out of the fields without a place.
func vibeFact(f *model.Fact) {
	rest := f.Extra[:0]
	for _, e := range f.Extra {
		switch e.Name {
		case "message_id":
			f.Key = e.Value.Hash()
		case "injected":
			if e.Value.Is("true") {
				f.Flags |= model.Injected
			}
		default:
			rest = append(rest, e)
		}
	}
	f.Extra = rest
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind != model.ToolResult || b.Outcome.Failed() {
			continue
		}
		switch text := head(b.Text, 40); {
		case hasPrefix(text, "<tool_error>"), hasPrefix(text, "<vibe_error>"):
			b.Outcome = failureOf(b.Text)
		case hasPrefix(text, "<user_cancellation>"):
			b.Outcome = model.Denied
		}
	}
}

func vibeAbout(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	f := fs.Add(model.About)
	var stats []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "session_id":
			keep(f, "session", c.Skip())
		case "start_time":
			f.Time = readMoment(&c)
		case "git_branch":
			keep(f, "branch", c.Skip())
		case "title":
			keep(f, "title", c.Skip())
		case "parent_session_id":
			keep(f, "parent", c.Skip())
		case "environment":
			v := c.Skip()
			keep(f, "cwd", jsonspan.Get(v, "working_directory"))
			keep(f, "environment", v)
		case "config":
			v := c.Skip()
			keep(f, "model", jsonspan.Get(v, "active_model"))
		case "stats":
			stats = c.Skip()
			keep(f, "stats", stats)
		default:
			keepField(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if u := vibeStats(stats); u.Scope != model.NoUsage {
		fs.Add(model.Meter).Usage = u
	}
	return finish(&c, fs)
}

func vibeStats(v []byte) model.Usage {
	u := vibeNumbers.read(v, model.Total)
	excludeCache(&u)
	return u
}

var vibeNumbers = usageNames{
	input: "session_prompt_tokens", output: "session_completion_tokens", cacheRead: "session_cached_tokens", cost: "session_cost",
}
