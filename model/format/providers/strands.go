package providers

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// StrandsFormat reads the sessions of Strands Agents' FileSessionManager and S3SessionManager: a
// folder with a file for each message, whose blocks are those of Converse.
func StrandsFormat() *model.Format {
	return &model.Format{
		Name:   "strands",
		Title:  "Strands Agents session",
		Where:  []string{"~/.strands/sessions/session_*"},
		Detect: strandsDetect,
		Unroll: &model.Unroll{Members: strandsMembers},
		Parse:  strandsParse,
	}
}

const (
	strandsSession  = "session.json"
	strandsAgent    = "agent.json"
	strandsMessages = "messages"
)

func strandsDetect(s *model.Sample) model.Match {
	if (s.Shape == model.Folder || s.Shape == model.Archive) && len(strandsMembers(s.Names)) > 0 {
		return model.Match{Score: 90, Reason: "a folder with agent.json and messages/message_N.json"}
	}
	return model.Match{}
}

// strandsMembers returns the files of a session or of one of its agents: the session, then each
// agent with its messages in order. It returns nil without messages.
func strandsMembers(names []string) []string {
	type member struct {
		name, agent string
		at          int
	}
	var list []member
	found := false
	agents := map[string]bool{}
	for _, name := range names {
		if base := path.Base(name); base == strandsAgent {
			agents[path.Dir(name)] = true
			list = append(list, member{name, path.Dir(name), -1})
		} else if name == strandsSession {
			list = append(list, member{name: name})
		}
	}
	for _, name := range names {
		agent := strandsAgentOf(name)
		number, ok := strings.CutPrefix(path.Base(name), "message_")
		n, isNumber := kit.LeadingInt([]byte(number))
		if ok && isNumber && agents[agent] && strings.HasSuffix(name, ".json") {
			list = append(list, member{name, agent, int(n)})
			found = true
		}
	}
	if !found {
		return nil
	}
	slices.SortStableFunc(list, func(a, b member) int {
		return cmp.Or(strings.Compare(a.agent, b.agent), cmp.Compare(a.at, b.at))
	})
	members := make([]string, len(list))
	for i, m := range list {
		members[i] = m.name
	}
	return members
}

// strandsAgentOf returns the folder of the agent of a message's file; "" for other files.
func strandsAgentOf(name string) string {
	if dir := path.Dir(name); path.Base(dir) == strandsMessages {
		return path.Dir(dir)
	}
	return ""
}

func strandsParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case !kit.StartObject(&c, fs):
	case path.Base(rec.List) == strandsSession:
		kit.FrameAbout(&c, fs, 0)
	case path.Base(rec.List) == strandsAgent:
		f := fs.Add(model.About)
		f.Session = model.HashString(path.Dir(rec.List))
		for c.Object(); c.Key(); {
			kit.KeepField(f, &c)
		}
	default:
		strandsMessage(&c, fs, model.HashString(strandsAgentOf(rec.List)))
	}
	return kit.Finish(&c, fs)
}

// strandsMessage adds a message, or the replacement of a redacted one, which the model sees.
func strandsMessage(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	start, at := c.Pos, fs.Len()
	var message, redacted []byte
	var created model.Moment
	fields := kit.Fields{
		kit.Raw("message", &message), kit.Raw("redact_message", &redacted), kit.Time("created_at", &created),
	}
	for c.Object(); c.Key(); {
		fields.Read(c)
	}
	if !kit.IsEmpty(redacted) {
		message = redacted
	}
	if c.Err != nil || jsonspan.KindOf(message) != jsonspan.Object {
		kit.Note(fs, "record").AddText(model.OtherBlock, model.ValueText(kit.ReadSince(c, start)))
		return
	}
	in := jsonspan.New(message)
	p := bedrockParser{fs: fs, session: session}
	p.message(&in)
	for i := at; i < fs.Len(); i++ {
		fs.At(i).Time = created
	}
	f := fs.Last()
	f.Usage = kit.AnyUsage(jsonspan.Get(message, "metadata", "usage"))
}
