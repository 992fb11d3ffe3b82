package agents

import (
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// VibeFormat reads a session of Mistral Vibe: messages of OpenAI's API with the additional fields
// message_id and injected, and meta.json with a description of the session.
func VibeFormat() *model.Format {
	return &model.Format{
		Name:    "mistral-vibe",
		Resume:  "vibe --resume ID",
		Highest: 88,
		Title:   "Mistral Vibe session",
		Where:   []string{"~/.vibe/logs/session/*"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InFiles, Score: 80, Reason: "a folder with messages.jsonl and meta.json", Is: kit.Signs{vibeMessages, vibeMeta}},
			kit.Clue{In: kit.InDocument, Score: 80, Reason: "a session's description with session_id and stats",
				Is: kit.Signs{"session_id & stats.session_prompt_tokens"}},
			kit.Clue{Score: 88, Reason: "messages with message_id and injected", Is: kit.Signs{"injected & message_id & role:string"}},
		),
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

// vibeBrief returns the files about the session without its messages.
func vibeBrief(names []string) []string {
	return slices.DeleteFunc(vibeMembers(names), func(name string) bool { return name == vibeMessages })
}

func vibeParse(rec model.Record, fs *model.Facts) error {
	if rec.List == vibeMeta || kit.LookFor(jsonspan.New(rec.Data), "role", "stats") == "stats" && !kit.HasKey(rec.Data, "role") {
		return vibeAbout(rec, fs)
	}
	rec.Variant = kit.ChatLines
	first := fs.Len()
	if err := kit.ChatParse(rec, fs); err != nil {
		return err
	}
	for i := first; i < fs.Len(); i++ {
		vibeFact(fs.At(i))
	}
	return nil
}

// vibeFact moves the fields that only Vibe writes from the extra fields to their places.
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
		switch text := kit.Head(b.Text, 40); {
		case kit.HasPrefix(text, "<tool_error>"), kit.HasPrefix(text, "<vibe_error>"):
			b.Outcome = kit.FailureOf(b.Text)
		case kit.HasPrefix(text, "<user_cancellation>"):
			b.Outcome = model.Denied
		}
	}
}

var vibeAboutNames = kit.Names{
	"session_id": "session", "git_branch": "branch", "title": "title",
	"parent_session_id": "parent",
}

func vibeAbout(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	f := fs.Add(model.About)
	var stats []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "start_time":
			f.Time = kit.ReadMoment(&c)
		case "environment":
			v := c.Skip()
			kit.Keep(f, "cwd", jsonspan.Get(v, "working_directory"))
			kit.Keep(f, "environment", v)
		case "config":
			v := c.Skip()
			kit.Keep(f, "model", jsonspan.Get(v, "active_model"))
		case "stats":
			stats = c.Skip()
			kit.Keep(f, "stats", stats)
		default:
			vibeAboutNames.Keep(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if u := vibeStats(stats); u.Scope != model.NoUsage {
		fs.Add(model.Meter).Usage = u
	}
	return kit.Finish(&c, fs)
}

func vibeStats(v []byte) model.Usage {
	u := vibeNumbers.Read(v, model.Total)
	kit.ExcludeCache(&u)
	return u
}

var vibeNumbers = kit.UsageNames{
	Input: "session_prompt_tokens", Output: "session_completion_tokens", CacheRead: "session_cached_tokens", Cost: "session_cost",
}
